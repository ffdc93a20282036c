"""Predictions from files and frames, and back."""
