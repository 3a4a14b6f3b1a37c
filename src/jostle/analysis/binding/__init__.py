"""Advises which cores, GPUs and NUMA nodes the processes of a job should have."""
