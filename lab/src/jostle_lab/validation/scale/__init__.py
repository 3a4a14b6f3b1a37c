"""Tests jostle at scale: a simulated day of a site with faults, and costs that grow with time."""
