"""An autograder for Gradescope: the zip that it takes, and what runs there. Only our own grader decides."""
