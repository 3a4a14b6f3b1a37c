"""Advice for a whole site: what to change, what it would have saved, and whom it would delay.

Public interface:
    recommend_site: the advice from what is known of a period, the greatest saving first.
    site_sums: what a user may know of it: sums over his own jobs.
    SiteEvidence, SiteJob, MountUse, Cost, SlowNode: what it is made from.
    SiteAdvice, SiteRecommendation, Delay, Directive, SiteSums: what they return.
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
from jostle.analysis.site_advice.sums import ResourceSum, SiteSums, site_sums

__all__ = [
    "Cost",
    "Delay",
    "Directive",
    "MountUse",
    "ResourceSum",
    "SiteAdvice",
    "SiteEvidence",
    "SiteJob",
    "SiteRecommendation",
    "SiteSums",
    "SlowNode",
    "recommend_site",
    "site_sums",
]
