"""Diagrams of what is read off a trained model."""
