"""Explorers of translators: two counted models, and the blocks, subwords, batches and training of the Transformer."""
