"""How far the estimates of this machine's jostle can be trusted: runs with a known truth, scored.

The rules of the truth, fixed before anything was measured: docs/explanation/validation.md.
"""
