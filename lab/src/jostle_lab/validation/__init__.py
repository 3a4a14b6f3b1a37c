"""Measures how accurate jostle's estimates are: runs with known truth are scored.

The rules of the truth, fixed before anything was measured: lab/docs/explanation/validation.md.
"""
