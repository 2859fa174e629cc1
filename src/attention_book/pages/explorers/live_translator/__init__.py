"""The translator, live: the explorer of the first page, Python's answers to it, and its front end."""
