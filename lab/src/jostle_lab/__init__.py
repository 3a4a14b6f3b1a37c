"""jostle_lab: experiments with jostle, and the proof that its answers are right.

A small cluster on one machine, controlled load, injected delays, studies, simulated sites with
known ground truth, and the validation of estimates. It builds on the public Python API of `jostle`.
"""
