"""Pools of real models on real data: the digits inside scikit-learn, and Fashion-MNIST as Debian ships it."""
