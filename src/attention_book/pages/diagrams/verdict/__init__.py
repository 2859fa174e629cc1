"""Diagrams of the verdict."""
