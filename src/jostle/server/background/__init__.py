"""The load of all jobs, cached by hour, and the sums of other users' load that may be shown."""
