"""Identification: which resource and whose load slowed a job, slice by slice.

Pure functions on tables. The public interface is `jostle.analysis`: identify, neighbours, matrix.
"""

from jostle.analysis.identification.identify import identify
from jostle.analysis.identification.neighbours import neighbours
from jostle.analysis.identification.runs.matrix import matrix

__all__ = ["identify", "matrix", "neighbours"]
