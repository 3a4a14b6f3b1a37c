"""Parts of `jostle_lab.synthetic.plant_placements`: published numbers, places on a torus, rows."""
