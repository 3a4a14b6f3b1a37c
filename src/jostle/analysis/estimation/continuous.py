"""Signs of interference that hits nearly everything: a warning, never a part of the loss."""

from __future__ import annotations

import numpy as np

from jostle.analysis.estimation.columns import Floats
from jostle.analysis.estimation.expected import Expected
from jostle.analysis.estimation.model import Bounded, Continuous
from jostle.analysis.estimation.work import Work

_PIECES = 12  # of the run, compared with each other
_ENOUGH = 8  # segments in a piece
_WORTH = 0.03  # of the run: smaller drifts are every program's own


def continuous(
    duration: Floats, lost: Floats, expected: Expected, work: Work, run: float
) -> Continuous | None:
    """Tells whether what is usual moved in the course of the run, and by how much.

    What is left of segments without their losses should take what their references say, from the
    first to the last. Where most pieces of the run are above the calmest ones, something was there
    most of the time.

    Args:
        duration: Of segments, seconds.
        lost: What of it was priced.
        expected: Their references.
        work: What they did.
        run: Seconds judged.
    """
    usable = np.flatnonzero(expected.usable)
    if len(usable) < _PIECES * _ENOUGH:
        return None
    ratio = (duration - lost)[usable] / expected.seconds[usable]
    pieces = np.array_split(ratio, _PIECES)
    weight = np.array([part.sum() for part in np.array_split(duration[usable], _PIECES)])
    low = np.array([np.quantile(piece, 0.25) for piece in pieces])
    scatter = np.array([np.subtract(*np.quantile(piece, [0.5, 0.25])) for piece in pieces])
    calm = float(np.sort(low)[1])  # the calmest but one: a single piece is chance
    doubt = float(np.median(scatter / np.sqrt([len(piece) for piece in pieces])))
    raised = (low - calm - 2 * doubt).clip(0)
    share = float((raised * weight).sum() / max(run, 1e-9))
    if share < _WORTH:
        return None
    return Continuous(
        Bounded(100 * share, 0.0, 200 * share),
        f"The same work takes longer in some parts of the run than in its calmest: by "
        f"{100 * share:.1f} % of the run on average, beyond what was priced.",
    )
