"""The load of all jobs by the hour, and the sums of other users' load that a viewer may see."""
