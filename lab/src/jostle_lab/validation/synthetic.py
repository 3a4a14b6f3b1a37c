"""Scores jostle's estimates on synthetic runs, whose loss is known to the nanosecond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from jostle_lab.validation.errors import why
from jostle_lab.validation.oracle import Truth
from jostle_lab.validation.score import Row, Score, score

#: Seeds below this are for tuning the methods.
FIRST_SEED = 1000
#: A trace with more ranks than this takes seconds to make: it is made once only.
_WIDE = ("ranks-256", "ranks-1024")


@dataclass(frozen=True)
class Family:
    """Results of the estimates on all synthetic runs (traces).

    Attributes:
        rows: The estimate of each trace and its true loss.
        scores: Scores of jostle for each kind of trace; then "all", for kinds whose disturbances
            come and go; then "sustained", for kinds with a disturbance that acts all the time.
        limits: Traces that could not be estimated, one sentence each.
    """

    rows: list[Row]
    scores: list[Score]
    limits: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return the score as plain values."""
        return {
            "rows": [row.to_json() for row in self.rows],
            "scores": [asdict(one) for one in self.scores],
        }


def traces(
    seeds: int, *, seed: int = 0, progress: Callable[[int, int, str], None] = lambda *_: None
) -> Family:
    """Make synthetic runs (traces), estimate their loss, and score the estimates.

    Args:
        seeds: Number of traces of each kind.
        seed: Seed of the measurement; each seed gives other traces.
        progress: Called before each trace: traces done, traces in all, the next trace.
    """
    from jostle_lab.synthetic import SPECS

    names = [
        (name, number)
        for number in range(seeds)
        for name in SPECS
        if number == 0 or name not in _WIDE
    ]
    rows = []
    limits = []
    for done, (name, number) in enumerate(names):
        progress(done, len(names), name)
        try:
            rows.append(_trace(name, FIRST_SEED + seed * 1000 + number))
        except Exception as error:
            limits.append(f"Trace {name} cannot be estimated: {why(error)}")
    rows.sort(key=lambda row: row.code)
    each = [score(name, "jostle", [row for row in rows if row.code == name]) for name in SPECS]
    always = {name for name, spec in SPECS.items() if any(d.sustained for d in spec.disturbances)}
    parts = (
        ("all", [row for row in rows if row.code not in always]),
        ("sustained", [row for row in rows if row.code in always]),
    )
    return Family(rows, [*each, *(score(name, "jostle", own) for name, own in parts)], limits)


def _trace(name: str, seed: int) -> Row:
    from jostle.analysis import estimate
    from jostle_lab.synthetic import SPECS, trace
    from jostle_lab.validation.evaluate import assessed

    tables, truth = trace(SPECS[name], seed)
    # No single run shows what is slow all the time in every segment alike.
    shown = truth.visible_percent
    moved = shown - min(truth.instantaneous_percent, shown)
    lost_s, moved_s = (truth.run_s * percent / 100 for percent in (shown, moved))
    known = Truth(truth.run_s, lost_s, moved_s, 0, lost_s, lost_s)
    found = estimate(tables, method="jostle", seed=0)
    kind = "clean" if truth.lost_s == 0 else "inject"
    return Row(
        f"{name}-{seed}",
        name,
        kind,
        shown / 100,
        known,
        None,
        shown,
        {"steal": 0.0, "foreign": 0.0, "load": 0.0},
        {"jostle": assessed(found)},
    )
