"""From model files and raw data to predictions."""
