"""`jostle top`: the source of running jobs, the content of the screen, and the terminal."""
