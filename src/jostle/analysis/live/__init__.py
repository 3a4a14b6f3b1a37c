"""Evaluates jobs that still run: a stream whose state is updated slice by slice.

Pure functions and state without files. Results are provisional: they rest on the past of a job
only. After its end `identify` and `estimate` use the whole run.
"""
