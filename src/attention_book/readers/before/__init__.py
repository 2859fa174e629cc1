"""Readers of the results of *Before you start* and *Before Transformers*."""
