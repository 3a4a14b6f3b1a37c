"""Makes synthetic counters of nodes and servers, for `jostle_lab.synthetic.plant_machines`."""
