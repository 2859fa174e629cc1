"""Explorers: figures to play with, alive in a notebook and, without any kernel, in the built book.

Nothing in the package core imports them; they alone need anywidget.
"""
