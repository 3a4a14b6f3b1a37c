"""Imports counters of machines that Prometheus or LDMS collected."""
