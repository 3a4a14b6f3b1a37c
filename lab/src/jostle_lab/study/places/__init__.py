"""The places where a study can run: this machine, a lab, or nodes of Slurm."""
