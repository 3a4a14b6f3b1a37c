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
        job: Its name.
        program: Its program.
        at_s: When it is submitted, s since the epoch.
        work_s: How long it runs without interference, s.
        cores: Cores that it holds.
        needs: Licence -> how many of it.
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
        from_s, to_s: The period, s since the epoch.
        jobs: Jobs that were replayed.
        cores: Cores of the site.
        recorded: Figures of the record.
        without: Figures of the replay without the policy, which should be like the record.
        with_policy: Figures of the replay with it.
        saved: Core hours that the policy saves.
        waited_more_s: Mean additional time that jobs wait for their start with it, s; below 0: they
            wait less.
        delays: Programs whose jobs end later with it, those with the longest delays first.
        limits: What to know before relying on it, one sentence each.
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
        """Return everything as plain values."""
        found: dict[str, Any] = plain(self)
        return found
