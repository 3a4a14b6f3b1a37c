"""Measures the accuracy of jostle's estimates on runs whose lost time is known.

The rules of the truth, fixed before anything was measured: lab/docs/explanation/validation.md.
"""
