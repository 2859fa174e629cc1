"""What pages on reading a translator's attention compute themselves."""
