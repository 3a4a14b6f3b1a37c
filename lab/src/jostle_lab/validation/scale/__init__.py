"""A simulated day of a site, its faults, and what grows with the age of a repository."""
