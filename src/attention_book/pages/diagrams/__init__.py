"""Pictures of the things themselves: the parts of a model, and what flows between them, as a reader would draw them."""
