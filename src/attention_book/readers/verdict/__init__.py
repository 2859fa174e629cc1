"""Readers of the experiments on the verdict: what was measured, in the form that the pages need."""
