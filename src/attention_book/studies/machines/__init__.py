"""What pages about machines measure: a step that processes share, what a training costs, weights not needed."""
