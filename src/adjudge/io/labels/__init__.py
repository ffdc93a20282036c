"""Labels and true values from files, and back."""
