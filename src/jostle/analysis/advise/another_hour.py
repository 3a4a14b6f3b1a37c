"""Advises to start a job at a time of day at which earlier runs lost less time to other jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.advise.model import Recommendation
from jostle.analysis.advise.time_limit import PastRun
from jostle.analysis.interval import Interval

#: A day is divided into spans of so many hours.
_SPAN_H = 6
#: Fewest runs with a known loss in a span.
_FEWEST = 4
_DRAWS = 2000
#: Percent that the interval leaves out on each side: three spans are compared with one.
_OUTSIDE = 2.5 / 3


def another_hour(runs: Sequence[PastRun], start_s: float, *, seed: int) -> Iterator[Recommendation]:
    """Yield the advice to start at a different time of day, if earlier runs lost less time then.

    Args:
        runs: Runs of the same program by the same user, with the time that each lost.
        start_s: When the job started, s since the epoch.
        seed: Seed of the bootstrap over runs.
    """
    by_span: dict[int, list[float]] = {}
    for run in runs:
        if run.lost_s is not None and run.start_s is not None:
            by_span.setdefault(_span_of(run.start_s), []).append(run.lost_s)
    here = by_span.pop(_span_of(start_s), [])
    others = {span: lost for span, lost in by_span.items() if len(lost) >= _FEWEST}
    if len(here) < _FEWEST or not others:
        return
    best = min(others, key=lambda span: (float(np.mean(others[span])), span))
    dice = np.random.default_rng(seed)
    drawn = _means(here, dice) - _means(others[best], dice)
    low, high = np.percentile(drawn, [_OUTSIDE, 100 - _OUTSIDE])
    value = float(np.mean(here) - np.mean(others[best]))
    now, then = _words(_span_of(start_s)), _words(best)
    there = others[best]
    yield Recommendation(
        rule="another hour",
        seen=(
            f"{len(here)} runs that started between {now} lost {np.mean(here):.3g} s to others "
            f"on average, {len(there)} that started between {then} {np.mean(there):.3g} s"
        ),
        lever=f"start it between {then}",
        texts=(f"sbatch --begin={best * _SPAN_H:02d}:00 SCRIPT",),
        saving=Interval(value, float(low), float(high)),
        saving_words="by what its runs lost at both times of the day",
        pays="you: the result comes later",
        unless="others' load changes from week to week, because then past runs do not predict the "
        "next",
    )


def _means(values: Sequence[float], dice: np.random.Generator) -> NDArray[np.float64]:
    """Return the means of bootstrap samples of some values."""
    drawn: NDArray[np.float64] = dice.choice(np.array(values), (_DRAWS, len(values))).mean(axis=1)
    return drawn


def _span_of(start_s: float) -> int:
    """Return in which span of hours of the day a time is, from 0, in this machine's time zone."""
    return datetime.fromtimestamp(start_s).astimezone().hour // _SPAN_H


def _words(span: int) -> str:
    return f"{span * _SPAN_H:02d}:00 and {(span + 1) * _SPAN_H:02d}:00"
