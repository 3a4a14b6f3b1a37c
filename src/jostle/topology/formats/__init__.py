"""Readers of the files that describe fabrics, one module per kind of file."""
