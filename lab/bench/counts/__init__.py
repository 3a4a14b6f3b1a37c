"""Counts costs that are the same in every run: a module for each kind (`../budget.py`)."""
