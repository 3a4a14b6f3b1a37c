"""Execution segments: the ranks' records merged into segments of a whole MPI world."""
