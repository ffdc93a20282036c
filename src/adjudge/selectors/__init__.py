"""Which sample to label next: one method, one file."""
