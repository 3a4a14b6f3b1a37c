"""The verdict on a run: the estimate, the suspects, and the comparison of runs."""
