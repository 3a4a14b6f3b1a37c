"""Scores jostle's answers against a known truth: programs that `make bench` does not run."""
