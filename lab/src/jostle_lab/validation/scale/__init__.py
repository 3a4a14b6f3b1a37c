"""Simulates a day of a site with faults, and measures what grows with a repository's age."""
