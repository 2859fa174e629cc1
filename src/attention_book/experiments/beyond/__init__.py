"""The experiments on what came after the first Transformer."""
