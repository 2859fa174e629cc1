"""Checks for the exercises on batches and on training the translator."""
