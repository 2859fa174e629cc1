"""From a model to a text: searches, sampling, a token's probability, scores of whole translations."""
