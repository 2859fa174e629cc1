"""What the pages of the verdict measure."""
