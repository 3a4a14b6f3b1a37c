"""Reads logs of Darshan and turns them into rows of a repository."""
