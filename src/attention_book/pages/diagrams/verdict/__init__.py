"""Diagrams of the pages that compare translators."""
