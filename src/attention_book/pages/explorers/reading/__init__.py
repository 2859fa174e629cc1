"""Explorers on reading a translator's attention."""
