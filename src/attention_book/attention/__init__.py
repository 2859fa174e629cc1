"""Attention itself, as functions and one module: softmax, scores, masks, positions, caches, many heads."""
