"""Figures of a study (Shah, 2020, chapters 2 and 3; Kuo et al.)."""
