"""Diagrams of what came before Transformers: counting, recurrent cells, searches, looking back."""
