"""The experiments of *The translator*."""
