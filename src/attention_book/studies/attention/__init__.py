"""What the pages of *Attention* measure."""
