"""A little language whose best possible translator is known: a grammar with agreement, and what it writes."""
