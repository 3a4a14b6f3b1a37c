"""One module per verb: its options, its query, and the next step that it prints."""
