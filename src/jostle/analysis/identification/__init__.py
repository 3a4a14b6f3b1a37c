"""Finds on which resource a job lost time, and because of which jobs' load, slice by slice.

The public interface is `jostle.analysis`: identify, neighbours, matrix.
"""

from jostle.analysis.identification.identify import identify
from jostle.analysis.identification.neighbours import neighbours
from jostle.analysis.identification.runs.matrix import matrix

__all__ = ["identify", "matrix", "neighbours"]
