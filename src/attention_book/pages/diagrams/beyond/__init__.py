"""Diagrams of what came after the first Transformer."""
