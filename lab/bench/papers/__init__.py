"""Reproduces the papers' figures and tables, and runs their codes."""
