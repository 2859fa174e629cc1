"""What *Multi-head attention*, *How many heads?*, *Do heads differ?* and *Three uses of attention* measure."""
