"""Compaction, retention and repair of a repository."""
