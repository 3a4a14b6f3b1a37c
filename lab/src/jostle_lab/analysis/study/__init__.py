"""Evaluates experiments with probes and signals: degradation, dilation, imprints, published laws."""
