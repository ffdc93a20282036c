"""A labeling project: the session behind it, and the page in front of it."""
