"""Helpers for columns, lists, sums and formats of values that several packages share."""
