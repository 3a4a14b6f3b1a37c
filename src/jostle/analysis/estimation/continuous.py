"""Detects continuous interference, which slows nearly all segments, from drifts during a run.

Such interference is reported as a warning. It is not part of the estimated loss.
"""

from __future__ import annotations

import numpy as np

from jostle.analysis.estimation.columns import Floats
from jostle.analysis.estimation.expected import Expected
from jostle.analysis.estimation.model import Continuous
from jostle.analysis.interval import Interval

_PIECES = 12  # of the run, compared with each other
_ENOUGH = 8  # segments in a piece
_WORTH = 0.03  # of the run: smaller drifts occur in every program


def continuous(
    duration: Floats,
    lost: Floats,
    expected: Expected,
    run: float,
    explained: float = 0.0,
    uneven: Floats | None = None,
) -> Continuous | None:
    """Return by how much the usual duration of segments changed in the course of the run.

    Without their losses, all segments should take as long as their references, from the first to
    the last. If segments take longer in most pieces of the run than in its fastest pieces, there
    was interference most of the time. Changes of the imbalance between ranks are no interference,
    so the mean rank must have been slower, too.

    Args:
        duration: Duration of each segment, seconds, [n].
        lost: Estimated loss of each segment, seconds, [n].
        expected: References of the segments: their times without interference.
        run: Length of the evaluated time, seconds.
        explained: Seconds of a drift that the estimate already contains (slow cores).
        uneven: Seconds of each segment for which ranks waited for slower ranks of their job, [n];
            None if it is not known.

    Returns:
        The drift in percent of the run with its interval; None if there is no notable drift.
    """
    usable = np.flatnonzero(expected.usable)
    if len(usable) < _PIECES * _ENOUGH:
        return None
    left = (duration - lost)[usable]
    raised = _raised(left / expected.seconds[usable])
    if uneven is not None:
        even = (left - uneven[usable]) / expected.seconds[usable]
        raised = np.minimum(raised, _raised(even))
    weight = np.array([part.sum() for part in np.array_split(duration[usable], _PIECES)])
    share = (float((raised * weight).sum()) - explained) / max(run, 1e-9)
    if share < _WORTH:
        return None
    return Continuous(
        Interval(100 * share, 0.0, 200 * share),
        "Besides the estimated loss, the same work took longer than in the fastest parts of the "
        f"run; this adds up to {100 * share:.1f} % of the run.",
    )


def _raised(ratio: Floats) -> Floats:
    """Return by how much segments took longer in each piece of the run than in the fastest pieces.

    Differences that chance explains are subtracted.

    Args:
        ratio: Duration of each segment divided by its reference, in order of time.
    """
    pieces = np.array_split(ratio, _PIECES)
    low, middle = np.array([np.quantile(piece, [0.25, 0.5]) for piece in pieces]).T
    scatter = middle - low
    calm = float(np.sort(low)[1])  # the second fastest: the fastest may be chance
    doubt = float(np.median(scatter / np.sqrt([len(piece) for piece in pieces])))
    raised: Floats = (low - calm - 2 * doubt).clip(0)
    return raised
