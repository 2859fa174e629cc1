"""Readers of the records of the translators."""
