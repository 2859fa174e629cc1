"""Checks for the exercises of the verdict."""
