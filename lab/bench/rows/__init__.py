"""Measures the rows of `make bench`, one module per subject (`../run.py`)."""
