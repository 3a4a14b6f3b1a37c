"""Ingests spools into the repository, each slice exactly once."""
