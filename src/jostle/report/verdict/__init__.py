"""Verdicts on runs: the estimated loss, the suspects, and the comparison of runs."""
