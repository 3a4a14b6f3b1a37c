"""Parts of `simulate_site`: a job mix, a scheduler, the simulation of jobs, and the writers."""
