"""Checks for the exercises of the verdict: the pages that compare translators and look for their errors."""
