"""Whole runs compared: which program slowed which, over a repository."""
