"""Verbs that show and compare jobs, programs and machines of a repository."""
