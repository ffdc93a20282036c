"""Labeling projects: a log that is only added to, and people who add to it."""
