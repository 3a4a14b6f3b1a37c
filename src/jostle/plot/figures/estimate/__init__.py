"""Figures of one estimate, and of several compared (thesis 5.9 to 5.15)."""
