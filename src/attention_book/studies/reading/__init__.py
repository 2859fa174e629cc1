"""What the pages on reading a trained model measure themselves."""
