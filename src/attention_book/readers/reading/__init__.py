"""Readers of the experiments on reading a trained model."""
