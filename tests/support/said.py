"""A pool as the columns of a table, and the truth."""

SAID = {"id": list("abcd"), "net": ["x", "y", "x", "x"], "tree": ["x", "x", "x", "y"]}
TRUTH = {"a": "x", "b": "y", "c": "y", "d": "x"}
