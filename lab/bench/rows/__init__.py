"""Measures times for the rows of `make bench`, each in its module (`../run.py`)."""
