"""Experiments on the length of slices: how many more verdicts are wrong if slices are longer?"""
