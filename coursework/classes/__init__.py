"""What is told about a whole class: whose code is alike, and how hard each question was."""
