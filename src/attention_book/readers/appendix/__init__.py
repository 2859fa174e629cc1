"""Readers of what *Measurements* shows beside the runs on record."""
