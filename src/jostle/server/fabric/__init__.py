"""Fabrics (networks), the loads of their links, and the traffic of jobs on them, for the pages."""
