"""The book to take along, made of the built book: on paper, for e-book readers, as a package, in one zip file."""
