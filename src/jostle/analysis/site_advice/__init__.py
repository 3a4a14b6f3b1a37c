"""Advises a site what to change, what this would have saved, and which jobs it would have delayed.

Public interface:
    recommend_site: returns the advice from the recorded data of a period, the greatest saving
        first.
    site_sums: returns sums over a user's own jobs, for users who may not see the advice.
    policy_of: combines the advice into a Policy, the options that a scheduler adds to jobs.
    replay: simulates the jobs of a period with and without a policy.
    SiteEvidence, SiteJob, MountUse, Cost, SlowNode: input types.
    SiteAdvice, SiteRecommendation, Delay, Directive, SiteSums, Replay: result types.
"""

from __future__ import annotations

from jostle.analysis.site_advice.model import (
    LUSTRE,
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
from jostle.analysis.site_advice.policy import Policy, policy_of
from jostle.analysis.site_advice.recommend import recommend_site
from jostle.analysis.site_advice.replay import replay
from jostle.analysis.site_advice.replay_model import Replay
from jostle.analysis.site_advice.sums import ResourceSum, SiteSums, site_sums

__all__ = [
    "LUSTRE",
    "Cost",
    "Delay",
    "Directive",
    "MountUse",
    "Policy",
    "Replay",
    "ResourceSum",
    "SiteAdvice",
    "SiteEvidence",
    "SiteJob",
    "SiteRecommendation",
    "SiteSums",
    "SlowNode",
    "policy_of",
    "recommend_site",
    "replay",
    "site_sums",
]
