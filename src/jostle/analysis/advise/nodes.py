"""Advises to request exclusive nodes or more cores, where other jobs or a CPU limit cost time."""

from __future__ import annotations

import math
from collections.abc import Iterator

from jostle.analysis.advise.model import Recommendation
from jostle.analysis.digest.model import JobDigest
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.interval import Interval

#: Kinds of resources of a node: with `--exclusive` no other job uses them.
_OF_A_NODE = ("node", "memory")
#: Part of the lifetime of its processes in which a CPU limit stopped a job.
_LIMITED = 0.05
#: Name of this share of time in digests.
_BY_LIMIT = "throttled by its CPU limit"


def exclusive(interference: JobInterference) -> Iterator[Recommendation]:
    """Yield the advice to request exclusive nodes, where other jobs on its nodes slowed a job."""
    here = {each.resource for each in interference.resources if each.kind in _OF_A_NODE}
    jobs = [
        each
        for each in interference.suspects
        if each.resource in here and each.kind in ("job", "unprofiled")
    ]
    if not jobs:
        return
    value, low, high = (
        sum(getattr(each.seconds, end) for each in jobs) for end in ("value", "low", "high")
    )
    nodes = sorted({each.resource for each in jobs})
    shown = ", ".join(nodes[:3]) + (f" and {len(nodes) - 3} more" if len(nodes) > 3 else "")
    yield Recommendation(
        rule="exclusive nodes",
        seen=f"others computed on {shown} at the same time",
        lever="share no node with other jobs",
        texts=("#SBATCH --exclusive",),
        saving=Interval(value, low, high),
        saving_words="what others on its nodes cost this run",
        pays="you: all cores of the nodes are charged; the job may wait longer for whole nodes",
        unless="the nodes were used by a system daemon, which would still be there",
    )


def cpu_limit(digest: JobDigest) -> Iterator[Recommendation]:
    """Yield the advice to request more cores, where the CPU limit of the job throttled it."""
    share = next((each.share for each in digest.shares if each.name == _BY_LIMIT), 0.0)
    if share < _LIMITED or not math.isfinite(digest.cores):
        return
    cores = digest.cores / max(len(digest.hosts), 1)
    wanted = max(math.ceil(cores / (1 - min(share, 0.9))), math.ceil(cores) + 1)
    yield Recommendation(
        rule="more cores",
        seen=f"its own CPU limit stopped its processes for {share:.0%} of their time",
        lever=f"request {wanted} cores per node instead of {max(round(cores), 1)}",
        texts=(
            f"#SBATCH --cpus-per-task={wanted}   # with one task per node; with N, an N-th of it",
        ),
        saving=Interval(share * digest.seconds / 2, 0.0, share * digest.seconds),
        saving_words="at most the time in which it was stopped; less where other threads continued",
        pays="you: more cores are charged, for a shorter time",
        unless="it starts more threads than it needs, because then fewer threads cost no time",
    )
