"""Looking into a trained model, and into attention: what reaches what, what a part does, what it costs."""
