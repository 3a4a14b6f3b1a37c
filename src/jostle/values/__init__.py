"""Columns, lists and sums of values that several rooms read alike."""
