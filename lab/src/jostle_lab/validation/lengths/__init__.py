"""Experiments on the length of time slices: how many verdicts are wrong with longer slices?"""
