"""Readers of what the experiments of the verdict measured, and of what was read by hand."""
