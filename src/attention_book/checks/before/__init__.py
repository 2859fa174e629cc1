"""Checks for the exercises of *Before you start* and *Before Transformers*."""
