"""The experiments on reading a trained model: what its weights say, and what they do not."""
