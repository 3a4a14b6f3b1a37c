"""One module per verb: its options, query and next step; one folder per section of the help."""
