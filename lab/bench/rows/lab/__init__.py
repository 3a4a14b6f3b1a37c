"""Rows on the lab: signals, their patterns, the injector, the papers' laws."""
