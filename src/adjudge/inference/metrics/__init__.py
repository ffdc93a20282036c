"""Metrics of models: those that are means of losses, and those that are not, with intervals from drawn labels."""
