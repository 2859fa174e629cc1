"""Readers of the experiments on what came after the first Transformer."""
