"""Advises on the time limit to request, from the run times of earlier runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis.advise.model import Recommendation

#: Fewest runs for an estimate of the longest.
_FEWEST = 8
_QUANTILE, _ROOM = 0.95, 1.1


@dataclass(frozen=True)
class PastRun:
    """A run of the same program by the same user, on as many nodes with as many processes.

    Attributes:
        seconds: Run time, in seconds.
        lost_s: Run time that other jobs cost it, s; None: not known.
        start_s: Start of the run, s since the epoch; None: not known.
    """

    seconds: float
    lost_s: float | None = None
    start_s: float | None = None


def time_limit(runs: Sequence[PastRun], program: str) -> Iterator[Recommendation]:
    """Yield the advice which time limit to request, with and without the time lost to other jobs.

    Args:
        runs: Runs of one program, including the one that the advice is for.
        program: Name of the program.
    """
    if len(runs) < _FEWEST:
        return
    with_others = [run.seconds for run in runs]
    alone = [max(run.seconds - run.lost_s, 0.0) for run in runs if run.lost_s is not None]
    minutes = _limit_min(with_others)
    texts = [f"#SBATCH --time={_text(minutes)}"]
    seen = f"{len(runs)} runs of {program} took {_spread(with_others)}"
    if alone:
        seen += f"; without others {len(alone)} of them would have taken {_spread(alone)}"
    if len(alone) >= _FEWEST and _limit_min(alone) < minutes:
        texts.append(f"#SBATCH --time={_text(_limit_min(alone))}   # if nobody disturbs it")
    yield Recommendation(
        rule="time limit",
        seen=seen,
        lever=f"request {minutes} min: enough for 95 % of these runs, plus a tenth",
        texts=tuple(texts),
        saving=None,
        saving_words="no run time: a tighter limit lets the scheduler start it earlier",
        pays="you: a run that takes longer than all of these is ended by the scheduler",
        unless="the input grows: run times with another input do not apply",
    )


def _limit_min(seconds: Sequence[float]) -> int:
    """Return a time limit in minutes: 1.1 times the run time that 95 % of the runs keep."""
    return max(math.ceil(float(np.quantile(seconds, _QUANTILE)) * _ROOM / 60), 1)


def _text(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}:00"


def _spread(seconds: Sequence[float]) -> str:
    return f"{float(np.median(seconds)):.3g} s in the median, {max(seconds):.3g} s at most"
