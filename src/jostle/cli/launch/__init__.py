"""Starts other programs: profiled runs, ranks of MPI jobs, commands in a lab."""
