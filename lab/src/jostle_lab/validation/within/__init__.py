"""Truth from within a run: windows with and without delays, drawn at random, in the same run."""
