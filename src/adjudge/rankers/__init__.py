"""Rankings that need no label, and use labels when there are some: one method, one file."""
