"""A translator learns what a memory of its training tokens says (Khandelwal et al. 2021; Yang et al. 2022)."""
