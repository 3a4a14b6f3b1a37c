"""The checks of `jostle doctor`: each answers with one line and how to mend what it found."""
