"""Rankings by what labels say, with intervals where the way of choosing them allows it."""
