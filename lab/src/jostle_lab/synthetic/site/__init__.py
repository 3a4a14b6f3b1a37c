"""Parts of `simulate_site`: a job mix, a scheduler, the course of jobs, and what is written."""
