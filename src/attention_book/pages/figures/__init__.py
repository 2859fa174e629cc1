"""Figures that answer a question, by one style, readable in light and dark."""
