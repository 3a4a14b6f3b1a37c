"""One job on a screen: its index entry, series, segments, process grid and comparison."""
