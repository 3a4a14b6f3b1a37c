"""Experiments in a lab whose culprit is known: planned, run and scored."""
