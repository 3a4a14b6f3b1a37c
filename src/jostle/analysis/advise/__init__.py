"""Advice on a job: what to change, what that would save, and who pays for it.

Public interface:
    recommend: returns the advice on one job, the greatest saving first.
    PastRun: an input of `recommend`, a run of the same program.
    Recommendations, Recommendation, OwnNeighbour: result types of `recommend`.
"""

from __future__ import annotations

from jostle.analysis.advise.model import OwnNeighbour, Recommendation, Recommendations
from jostle.analysis.advise.recommend import recommend
from jostle.analysis.advise.time_limit import PastRun

__all__ = ["OwnNeighbour", "PastRun", "Recommendation", "Recommendations", "recommend"]
