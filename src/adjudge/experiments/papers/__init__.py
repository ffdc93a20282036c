"""The papers' own experiments: a module each, with `jobs` and `outputs`."""
