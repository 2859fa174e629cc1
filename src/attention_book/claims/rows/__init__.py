"""The circulating claims, by theme: each module holds a tuple ``CLAIMS``."""
