"""Ground truth within one run: windows with and without delays, drawn at random."""
