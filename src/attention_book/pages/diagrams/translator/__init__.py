"""Diagrams of *The translator*: its blocks, its subwords, its batches, its training."""
