"""Starts other programs: profiled runs, ranks of MPI jobs, commands of jostle-lab."""
