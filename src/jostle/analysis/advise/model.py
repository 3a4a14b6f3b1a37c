"""Result types of advice on a job."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from jostle.analysis.interval import Interval
from jostle.values.plain_values import plain


@dataclass(frozen=True)
class Recommendation:
    """One change that would save a job time, with what it saves and costs.

    Attributes:
        rule: Short name of the rule that gave the advice; it stays the same between versions.
        seen: Observation that the advice rests on, with figures; a sentence without its full stop.
        lever: Setting or habit that is to be changed.
        texts: Lines to paste into a script or a shell; may be empty.
        saving: Seconds of the job's run time that it would save; None where none can be predicted.
        saving_words: What the saving rests on, or why none is predicted.
        pays: Who bears the cost of the change, and what that cost is.
        unless: Conditions under which the advice should not be followed.
    """

    rule: str
    seen: str
    lever: str
    texts: tuple[str, ...]
    saving: Interval | None
    saving_words: str
    pays: str
    unless: str


@dataclass(frozen=True)
class OwnNeighbour:
    """Another job of the same user that cost the job time.

    Attributes:
        job: Name of the other job.
        start_s: When it started, s after the start of the job that it slowed; below 0: before it.
        end_s: When it ended, s after the same instant.
        seconds: Time that it cost the job, s.
    """

    job: str
    start_s: float
    end_s: float
    seconds: Interval


@dataclass(frozen=True)
class Recommendations:
    """The advice on one job: what to change, and what that would save.

    Attributes:
        job: Name of the job.
        run_s: Run time of the job, s.
        lost: Run time that other jobs cost it, s.
        found: The advice, the greatest predicted saving first; those without a prediction last.
        nothing: Why nothing is advised, a sentence; "" where something is.
        limits: Limits of the advice, one sentence each.
        own_neighbours: The jobs of the same user that cost it time, and when they ran: what it
            would lose if it started earlier or later.
    """

    job: str
    run_s: float
    lost: Interval
    found: tuple[Recommendation, ...] = ()
    nothing: str = ""
    limits: tuple[str, ...] = field(default=())
    own_neighbours: tuple[OwnNeighbour, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def added(parts: Iterable[Interval]) -> Interval:
    """Return the sum of losses that are estimated independently, at least 0."""
    parts = list(parts)
    value = sum(part.value for part in parts)
    low = value - sqrt(sum((part.value - part.low) ** 2 for part in parts))
    high = value + sqrt(sum((part.high - part.value) ** 2 for part in parts))
    return Interval(value, max(low, 0.0), high)
