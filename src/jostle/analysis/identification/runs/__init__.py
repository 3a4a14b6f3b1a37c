"""Compares runs with and without other programs: which program slowed which, in a repository."""
