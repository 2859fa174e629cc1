"""What is told about a whole class: whose code is alike, how hard each question was, and the texts to be marked."""
