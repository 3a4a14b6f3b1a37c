"""Evaluates experiments with probes and signals: degradation, dilation, imprints, laws."""
