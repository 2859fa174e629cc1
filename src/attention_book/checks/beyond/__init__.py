"""Checks for the exercises on what came after the first Transformer."""
