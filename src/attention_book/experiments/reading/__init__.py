"""The experiments on reading a translator's attention."""
