"""From drawn labels to numbers: weighted means, intervals, confidence sequences, paired tests."""
