"""One module per verb: its options, the question it asks, and the next step it prints."""
