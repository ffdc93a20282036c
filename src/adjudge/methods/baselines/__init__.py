"""What every method has to beat: random draws, agreement with the vote, accuracy on the labels."""
