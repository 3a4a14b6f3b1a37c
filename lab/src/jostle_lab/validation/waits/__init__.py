"""Experiments in a lab on whether the ranks that others wait for are named, and why."""
