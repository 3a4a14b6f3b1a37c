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
    """One change that would save time of a job, with the saving and the cost of the change.

    Attributes:
        rule: Short name of the rule that gave the advice; it stays the same between versions.
        seen: Observation from which the advice follows, with numbers; a sentence without its full
            stop.
        lever: Setting or habit that is to be changed.
        texts: Lines to paste into a script or a shell; may be empty.
        saving: Seconds of the job's run time that the change would save; None where the saving
            cannot be predicted.
        saving_words: How the saving was predicted, or why none is predicted.
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
    """Another job of the same user that slowed the job.

    Attributes:
        job: Name of the other job.
        start_s: When the other job started, s after the start of the job that it slowed; negative
            if it started earlier.
        end_s: When the other job ended, s after the same instant.
        seconds: Time that the other job cost the job, in seconds.
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
        run_s: Run time of the job, in seconds.
        lost: Run time that other jobs cost it, in seconds.
        found: The advice, the greatest predicted saving first; those without a prediction last.
        nothing: Why no change is advised, a sentence; "" where a change is advised.
        limits: Limits of the advice, one sentence each.
        own_neighbours: The jobs of the same user that slowed this one, with the times when they
            ran. They show what this job would lose if it started earlier or later.
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
    """Return the sum of independently estimated losses; its interval does not extend below 0."""
    parts = list(parts)
    value = sum(part.value for part in parts)
    low = value - sqrt(sum((part.value - part.low) ** 2 for part in parts))
    high = value + sqrt(sum((part.high - part.value) ** 2 for part in parts))
    return Interval(value, max(low, 0.0), high)
