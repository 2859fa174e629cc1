"""Readers of the results of *Attention*."""
