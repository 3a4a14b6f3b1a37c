"""Data of the whole system for the pages: nodes over time, and the load on each mount."""
