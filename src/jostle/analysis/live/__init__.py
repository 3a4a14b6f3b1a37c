"""Answers about jobs that still run: a stream whose state is updated slice by slice.

Pure functions and state without files. What it gives is provisional: it knows the past of a job
only. At its end `identify` and `estimate` answer from the whole run.
"""
