"""What *Past one machine* and the page after it measure: a step that processes share, and what a training costs."""
