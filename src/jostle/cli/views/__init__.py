"""Results as text and tables in a terminal; a view computes nothing."""
