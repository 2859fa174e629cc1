"""What *Multi-head attention*, *Do heads differ?* and *Three uses of attention* measure."""
