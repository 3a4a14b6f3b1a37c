"""The files of a repository: their layout, the commit log, and how files are written."""
