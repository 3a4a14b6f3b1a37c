"""Rows on MPI: calls, whole programs, partners and segments."""
