"""Verdicts on runs: the estimate, the suspects, and the comparison of runs."""
