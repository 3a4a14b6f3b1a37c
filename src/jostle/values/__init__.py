"""Columns, lists and sums of values that several packages read in the same way."""
