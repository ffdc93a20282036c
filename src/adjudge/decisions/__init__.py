"""What a user is advised to do: rank and recommend, compare, plan, stop, look at slices, screen a pool."""
