"""What the pages on what came after the first Transformer measure themselves."""
