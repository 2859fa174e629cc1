"""Experiments of the last pages on translators: the verdict, where translators fail, how much data they need."""
