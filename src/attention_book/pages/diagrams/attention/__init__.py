"""Diagrams of attention: lookups, masks, the root, heads, positions, the three uses."""
