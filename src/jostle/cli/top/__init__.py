"""`jostle top`: where the running jobs come from, what is on the screen, and the terminal."""
