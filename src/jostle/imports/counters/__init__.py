"""Counters of machines that others collect: Prometheus and LDMS."""
