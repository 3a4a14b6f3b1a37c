"""Identification: which resource and whose load slowed a job, slice by slice.

Pure functions on tables. The door is `jostle.analysis`: identify, neighbours and matrix.
"""

from jostle.analysis.identification.identify import identify
from jostle.analysis.identification.matrix import matrix
from jostle.analysis.identification.neighbours import neighbours

__all__ = ["identify", "matrix", "neighbours"]
