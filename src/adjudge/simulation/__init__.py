"""Methods played against a known truth, and the contract that every method passes."""
