"""The experiments of the verdict: translators compared, how they fail, how much data they need."""
