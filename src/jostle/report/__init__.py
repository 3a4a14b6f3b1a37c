"""What is told of a job, in the same words and numbers by the command and by the pages.

Between `analysis`, which knows nobody who reads, and `cli` and `server`, which only show it. Each
module is a door of its own, and imports what is heavy when it is asked.
"""
