"""Data of one job for the pages: index entry, series, segments, process grid and comparison."""
