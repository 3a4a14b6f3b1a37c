"""Reports on jobs: the texts and numbers that the command line and the web pages share.

This package is between `analysis`, which reads no files, and `cli` and `server`, which only show
reports. Each module is imported by itself, and imports heavy libraries only when it needs them.
"""
