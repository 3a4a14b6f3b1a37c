"""Estimation: what interference cost one run, told from that run alone (thesis ch. 5 and beyond).

Pure functions on tables. The door is `jostle.analysis`: estimate and compare.
"""
