"""What a replay of a period needs and says."""

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
        work_s: How long it runs if nobody slows it, s.
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
    """How a site fared in a period.

    Attributes:
        utilisation: Share of the cores that jobs held, from the first submission to the last end.
        waited_s: How long jobs waited for their start, mean, s.
        slowdown: Time from submission to end over the time alone, mean; jobs of less than 10 s
            count as 10 s.
        core_hours: Core hours that jobs held.
        lost_core_hours: Those of them that jobs lost to each other.
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
    """A period as it was, and as it would have been.

    Attributes:
        from_s, to_s: The period, s since the epoch.
        jobs: Jobs that were replayed.
        cores: Cores of the site.
        recorded: As it was.
        without: The replay without the policy, which should be like the record.
        with_policy: The replay with it.
        saved: Core hours that the policy saves.
        waited_more_s: By how much longer jobs wait for their start with it, mean, s; below 0: less.
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
