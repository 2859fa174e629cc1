"""What *Past one machine* measures: a step that several processes share, and what a whole training costs."""
