"""Input and result types of the replay of a period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import Delay
from jostle.values.plain_values import plain


@dataclass(frozen=True)
class Load:
    """A job as a replay submits it.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        at_s: When the job is submitted, s since the epoch.
        work_s: Run time of the job without interference, in seconds.
        cores: Number of cores that the job holds.
        needs: How many of each licence the job needs, by name of the licence.
    """

    job: str
    program: str
    at_s: float
    work_s: float
    cores: float
    needs: Mapping[str, float]


@dataclass(frozen=True)
class Figures:
    """How a site was used in a period, in numbers.

    Attributes:
        utilisation: Share of the cores that jobs held, from the first submission to the last end.
        waited_s: Mean time for which jobs waited for their start, in seconds.
        slowdown: Time from submission to end of a job divided by its run time without interference,
            mean over jobs. Times below 10 s count as 10 s.
        core_hours: Core hours that jobs held.
        lost_core_hours: Core hours of these that jobs lost to each other.
        ended_s: When the last job ended, s since the epoch.
    """

    utilisation: float
    waited_s: float
    slowdown: float
    core_hours: float
    lost_core_hours: float
    ended_s: float


@dataclass(frozen=True)
class Replay:
    """A period as it was, and as it would have been with a policy.

    Attributes:
        from_s: Start of the period, s since the epoch.
        to_s: End of the period, s since the epoch.
        jobs: Number of jobs that were replayed.
        cores: Number of cores of the site.
        recorded: How the site was used, by the record.
        without: How it is used in the replay without the policy; this should be like the record.
        with_policy: How it is used in the replay with the policy.
        saved: Core hours that the policy saves.
        waited_more_s: By how much longer jobs wait for their start with the policy, mean, s;
            negative: they wait less.
        delays: Delays of jobs that end later with the policy, by program, the longest first.
        limits: Limits of the replay, one sentence each.
    """

    from_s: float
    to_s: float
    jobs: int
    cores: float
    recorded: Figures
    without: Figures
    with_policy: Figures
    saved: Interval
    waited_more_s: Interval
    delays: tuple[Delay, ...]
    limits: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found
