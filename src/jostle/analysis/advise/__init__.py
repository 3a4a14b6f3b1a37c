"""Advice on a job: what to change, what that would save, and who pays for it.

Public interface:
    recommend: the advice on one job, the greatest saving first.
    PastRun: a run of the same program, from which time limits are derived.
    Recommendations, Recommendation, OwnNeighbour: its result types.
"""

from __future__ import annotations

from jostle.analysis.advise.model import OwnNeighbour, Recommendation, Recommendations
from jostle.analysis.advise.recommend import recommend
from jostle.analysis.advise.time_limit import PastRun

__all__ = ["OwnNeighbour", "PastRun", "Recommendation", "Recommendations", "recommend"]
