"""`jostle site demo`: a small site with agents, a receiver and Slurm, and injected failures."""
