"""Scores jostle's verdicts against a known truth: measurements that `make bench` does not run."""
