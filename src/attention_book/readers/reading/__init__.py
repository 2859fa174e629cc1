"""Readers of the records on reading a translator's attention."""
