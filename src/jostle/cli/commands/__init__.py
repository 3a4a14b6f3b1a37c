"""One module per verb: its options, its query, and the next step. One folder per section of help."""
