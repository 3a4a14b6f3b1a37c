"""Experiments in a lab: whether jostle names the ranks for which others wait, and the cause."""
