"""What the pages of *The translator* measure."""
