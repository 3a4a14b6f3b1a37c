"""One module per verb, in a folder for each section of the help text; it prints the next step, too."""
