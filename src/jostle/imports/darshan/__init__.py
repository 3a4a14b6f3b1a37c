"""Imports logs of the I/O profiler Darshan into a repository."""
