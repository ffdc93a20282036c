"""Published methods for the same questions, to compare with."""
