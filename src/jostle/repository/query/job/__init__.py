"""Reads what is recorded of one job: its processes, its ranks, and its run as a whole."""
