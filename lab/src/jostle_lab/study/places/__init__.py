"""Where a study runs: this machine, a lab, or nodes of Slurm."""
