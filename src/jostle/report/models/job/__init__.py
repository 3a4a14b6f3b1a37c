"""Data about one job: its activity, losses, placement, and the load of others around it."""
