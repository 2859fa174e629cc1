"""The hidden grading runner: reads a notebook, runs its functions in a confined process, takes their values back."""
