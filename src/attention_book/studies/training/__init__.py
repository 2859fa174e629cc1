"""What the pages on batches and on training the translator measure."""
