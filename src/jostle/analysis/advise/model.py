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
    """One thing to change.

    Attributes:
        rule: Its short name, which stays the same between versions.
        seen: What was seen, with its figures; a sentence without its full stop.
        lever: What is to be changed.
        texts: Exact lines to paste; empty where there are none.
        saving: Seconds of the job's run time that it would save; None where none can be predicted.
        saving_words: What the saving rests on, or why none is predicted.
        pays: Who pays for it, and how.
        unless: When not to apply it.
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
        job: Its name.
        start_s: When it started, s after the start of the job that it slowed; below 0: before it.
        end_s: When it ended, likewise.
        seconds: What it cost, s.
    """

    job: str
    start_s: float
    end_s: float
    seconds: Interval


@dataclass(frozen=True)
class Recommendations:
    """What to change about a job.

    Attributes:
        job: Its name.
        run_s: Its run time, s.
        lost: Seconds that others cost it.
        found: The advice, the greatest predicted saving first; those without a prediction last.
        nothing: Why nothing is advised, a sentence; "" where something is.
        limits: What to know before following it, one sentence each.
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
        """Return everything as plain values."""
        found: dict[str, Any] = plain(self)
        return found


def added(parts: Iterable[Interval]) -> Interval:
    """Return the sum of losses that are estimated independently, at least 0."""
    parts = list(parts)
    value = sum(part.value for part in parts)
    low = value - sqrt(sum((part.value - part.low) ** 2 for part in parts))
    high = value + sqrt(sum((part.high - part.value) ** 2 for part in parts))
    return Interval(value, max(low, 0.0), high)
