"""Execution segments (run parts between global synchronisations), merged over a world's ranks."""
