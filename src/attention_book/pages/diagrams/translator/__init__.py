"""Diagrams of *The translator*: its blocks, its subwords, its parts."""
