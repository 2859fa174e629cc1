"""Explorers of *Attention*: its heads."""
