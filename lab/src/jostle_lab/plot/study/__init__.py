"""Draws the figures of a study (as Shah, 2020, chapters 2 and 3, and Kuo et al., 2013)."""
