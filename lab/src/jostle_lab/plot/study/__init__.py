"""Figures of a study (thesis chapters 2 and 3; Kuo et al.)."""
