"""Checks for the exercises on reading a trained model."""
