"""Reads the load on resources that jobs share: mounts, nodes, cores, memory, GPUs and links."""
