"""Numbers, times, names and causes as text for users."""
