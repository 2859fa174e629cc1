"""What the pages of *Before you start* and *Before Transformers* measure."""
