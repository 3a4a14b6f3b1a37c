"""Simulates the jobs, nodes and faults of a site, for `jostle_lab.synthetic.simulate_site`."""
