"""Translation models: the Transformer, the recurrent encoder–decoder, their descriptions and their files."""
