"""Counts costs that are the same in every run, one module for each kind (`../budget.py`)."""
