"""Simulates jobs that slow each other, for the repositories of `jostle_lab.synthetic.plant`."""
