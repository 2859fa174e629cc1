"""Checks for the exercises of the pages that compare translators and look for their errors."""
