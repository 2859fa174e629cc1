"""The experiments of *Before you start* and *Before Transformers*."""
