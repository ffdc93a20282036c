"""A study of shift: the same models on clean data and under every corruption, ranked with labels and without."""
