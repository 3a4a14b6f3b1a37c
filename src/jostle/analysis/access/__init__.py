"""Access patterns: how a job reads and writes its files (Shah, 2020, sections 3.2.1, 3.3.4)."""
