"""What an error costs: a loss for each pair of prediction and truth, of classes and grades, numbers and probabilities.

It imports `core`. Metrics that are not means of losses, such as F1, are in `inference/metrics/`.
"""
