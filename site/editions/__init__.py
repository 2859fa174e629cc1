"""The book to take along: on paper, in an e-book reader, as a package, in one zip file. All are made of the built book."""
