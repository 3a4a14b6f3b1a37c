"""Places synthetic jobs on a torus network, for `jostle_lab.synthetic.plant_placements`."""
