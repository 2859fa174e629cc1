"""Checks of the pages on reading a translator's attention."""
