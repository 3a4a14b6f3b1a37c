"""Parts of `jostle_lab.synthetic.plant_placements`: published numbers, torus placements, rows."""
