"""Experiments on how long a slice may be: what a longer one costs in right answers."""
