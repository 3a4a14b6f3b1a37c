"""Draws charts and figures of studies and validations."""
