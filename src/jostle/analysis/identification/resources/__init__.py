"""Finds the resources that a job shares, with its calls and the load of other jobs on each."""
