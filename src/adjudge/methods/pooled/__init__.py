"""The default method: a log-linear consensus of all models, corrected by labels."""
