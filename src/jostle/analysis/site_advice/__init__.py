"""Advice for a whole site: what to change, what it would have saved, and whom it would delay.

Public interface:
    recommend_site: the advice from what is known of a period, the greatest saving first.
    SiteEvidence, SiteJob, MountUse, Cost, SlowNode: what it is made from.
    SiteAdvice, SiteRecommendation, Delay, Directive: what it returns.
"""

from __future__ import annotations

from jostle.analysis.site_advice.model import (
    Cost,
    Delay,
    Directive,
    MountUse,
    SiteAdvice,
    SiteEvidence,
    SiteJob,
    SiteRecommendation,
    SlowNode,
)
from jostle.analysis.site_advice.recommend import recommend_site

__all__ = [
    "Cost",
    "Delay",
    "Directive",
    "MountUse",
    "SiteAdvice",
    "SiteEvidence",
    "SiteJob",
    "SiteRecommendation",
    "SlowNode",
    "recommend_site",
]
