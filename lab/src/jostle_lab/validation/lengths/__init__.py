"""Experiments on the length of slices: how many answers longer slices make wrong."""
