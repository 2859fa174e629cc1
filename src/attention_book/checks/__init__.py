"""Checks for the exercises, by theme: each takes a reader's answer and says what is right or what is still wrong."""
