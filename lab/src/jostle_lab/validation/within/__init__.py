"""Scores estimates by a ground truth within one run: random windows with and without delays."""
