"""Real sentences: fetched, split, cut into subwords and gathered into batches."""
