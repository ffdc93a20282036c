"""What a user is told to do: compare, plan, stop, look at slices, trust the vote or not."""
