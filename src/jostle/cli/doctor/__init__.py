"""The checks of `jostle doctor`: each reports one line, and a fix where one is needed."""
