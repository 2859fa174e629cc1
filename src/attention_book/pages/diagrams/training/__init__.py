"""Diagrams of batches and of training."""
