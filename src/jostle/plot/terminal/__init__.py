"""Charts as text in a terminal."""
