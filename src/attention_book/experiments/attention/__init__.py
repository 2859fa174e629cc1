"""The experiments of *Attention*."""
