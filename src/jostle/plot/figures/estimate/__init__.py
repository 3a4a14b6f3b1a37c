"""Figures of one estimate, and of several compared (Shah, 2020, figures 5.9 to 5.15)."""
