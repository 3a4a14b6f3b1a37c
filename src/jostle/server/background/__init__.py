"""The load of all jobs by the hour, and what a viewer may learn of other users' load."""
