"""Scores estimates on runs with delays in random windows: the others show the undisturbed run."""
