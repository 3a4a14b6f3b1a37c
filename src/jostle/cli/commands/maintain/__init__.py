"""Verbs for the maintenance of an installation: its checks, settings and repository."""
