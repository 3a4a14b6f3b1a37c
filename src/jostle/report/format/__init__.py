"""Numbers, times, names and causes as people read them."""
