"""Evaluation of probe and signal experiments: degradation, dilation, imprints, published laws."""
