"""Reports on jobs: the texts and numbers that the command and the pages share.

It is between `analysis`, which has no reader, and `cli` and `server`, which only show reports.
Each module is imported by itself, and imports heavy libraries only when it needs them.
"""
