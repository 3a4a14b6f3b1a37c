"""Parts of `jostle.synthetic.plant_placements`: published numbers, places on a torus, rows."""
