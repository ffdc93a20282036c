"""Models of many kinds, run in one way."""
