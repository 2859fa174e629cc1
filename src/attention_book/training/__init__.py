"""How a model is trained: losses, schedules, optimizers, the loop, and a whole run."""
