"""Evaluates studies and validations from the data of their runs."""
