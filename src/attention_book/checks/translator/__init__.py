"""Checks for the exercises of *The translator*."""
