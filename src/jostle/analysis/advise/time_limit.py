"""Advice on the time limit to ask for, from the run times of earlier runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from jostle.analysis.advise.model import Recommendation
from jostle.analysis.interval import Interval

#: Fewer runs than this say little about the longest.
_FEWEST = 8
_QUANTILE, _ROOM = 0.95, 1.1


def time_limit(
    runs: Sequence[float], run_s: float, lost: Interval, program: str
) -> Iterator[Recommendation]:
    """Yield a time limit that earlier runs of the same program by the same user would have kept.

    Args:
        runs: Their run times, s, this one included.
        run_s: This run's time, s.
        lost: What others cost it, s.
        program: Its program.
    """
    if len(runs) < _FEWEST:
        return
    most = float(np.quantile(runs, _QUANTILE)) * _ROOM
    minutes = max(math.ceil(most / 60), 1)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}:00"
    middle = float(np.median(runs))
    alone = max(run_s - lost.value, 0.0)
    yield Recommendation(
        rule="time limit",
        seen=(
            f"{len(runs)} runs of {program} took {middle:.3g} s in the median, {max(runs):.3g} s "
            f"at most; this one would have taken {alone:.3g} s without others"
        ),
        lever=f"ask for {minutes} min: 95 of 100 of these runs, and a tenth more",
        texts=(f"#SBATCH --time={text}",),
        saving=None,
        saving_words="no run time: a tighter limit lets the scheduler start it earlier",
        pays="you: a run that takes longer than all of these is ended by the scheduler",
        unless="the input grows: run times of another input say nothing",
    )
