"""What the pages of the book are made of: figures, explorers, numbers put into text, and pages read as text."""
