"""Simulates a day of a site with faults, and measures which costs grow with a repository's age."""
