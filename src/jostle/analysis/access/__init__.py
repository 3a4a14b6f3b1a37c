"""How a job reads and writes its files: access patterns, phase by phase (thesis 3.2.1, 3.3.4)."""
