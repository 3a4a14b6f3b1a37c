"""Figures of placement: the nodes of jobs, and their influence on the jobs' speed."""
