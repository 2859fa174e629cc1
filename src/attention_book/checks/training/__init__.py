"""Checks for the exercises on batches, on training the translator, and on testing a program that trains."""
