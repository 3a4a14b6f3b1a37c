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
        at_s: Time of its submission, s since the epoch.
        work_s: Run time without interference, s.
        cores: Number of cores that it holds.
        needs: Number of each licence that it needs.
    """

    job: str
    program: str
    at_s: float
    work_s: float
    cores: float
    needs: Mapping[str, float]


@dataclass(frozen=True)
class Figures:
    """Figures of the use of a site in a period.

    Attributes:
        utilisation: Share of the cores that jobs held, from the first submission to the last end.
        waited_s: Mean time that jobs waited for their start, s.
        slowdown: Mean of the time from submission to end over the time alone; jobs of less than
            10 s count as 10 s.
        core_hours: Core hours that jobs held.
        lost_core_hours: Part of these that jobs lost to each other.
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
        from_s, to_s: Start and end of the period, s since the epoch.
        jobs: Number of jobs that were replayed.
        cores: Number of cores of the site.
        recorded: Figures of the record.
        without: Figures of the replay without the policy, which should be like the record.
        with_policy: Figures of the replay with the policy.
        saved: Core hours that the policy saves.
        waited_more_s: Mean additional time that jobs wait for their start with the policy, s; below
            0: they wait less.
        delays: Delays of programs whose jobs end later with the policy, the longest first.
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
