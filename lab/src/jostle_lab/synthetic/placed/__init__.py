"""Parts of `jostle_lab.synthetic.plant_placements`: published statistics, placements, rows."""
