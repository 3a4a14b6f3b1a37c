"""Advice: what to change about a job, what that would save, and who pays for it.

Public interface:
    recommend: the advice on one job, the greatest saving first.
    PastRun: a run of the same program, which time limits are made from.
    Recommendations, Recommendation, OwnNeighbour: what it returns.
"""

from __future__ import annotations

from jostle.analysis.advise.model import OwnNeighbour, Recommendation, Recommendations
from jostle.analysis.advise.recommend import recommend
from jostle.analysis.advise.time_limit import PastRun

__all__ = ["OwnNeighbour", "PastRun", "Recommendation", "Recommendations", "recommend"]
