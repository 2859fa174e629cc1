"""Checks for the exercises of *Attention*."""
