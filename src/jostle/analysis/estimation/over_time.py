"""Returns when a run lost its time: the seconds of its estimate in spans of the run."""

from __future__ import annotations

import numpy as np

from jostle.analysis.estimation.attribute import spread_over
from jostle.analysis.estimation.columns import Floats, Ints
from jostle.analysis.estimation.model import RunEstimate
from jostle.errors import UsageError


def lost_between(estimate: RunEstimate, edges_ns: Ints) -> Floats:
    """Return the seconds that a run lost in each span between consecutive instants.

    Args:
        estimate: Its estimate. The loss of each segment is spread evenly over its time; of a job
            without segments, that of each span in which it lost time (`RunEstimate.hits`).
        edges_ns: Instants of Unix time in ns, ascending, [spans + 1].

    Returns:
        Seconds per span, [spans]. Those of spans that cover the run sum to the loss of the run
        (without segments: to that of its hits).

    Raises:
        UsageError: There are fewer than two instants, or they do not ascend.
    """
    edges = np.asarray(edges_ns, dtype=np.int64)
    if edges.ndim != 1 or len(edges) < 2 or (np.diff(edges) < 0).any():
        raise UsageError(
            "These instants bound no spans of time.", hint="Give at least two, in ascending order."
        )
    table = estimate.segments
    if table.num_rows:
        begin, until = (table[name].to_numpy() for name in ("start_ns", "end_ns"))
        lost = table["lost_ns"].to_numpy() / 1e9
    else:
        begin = np.array([hit.start_ns for hit in estimate.hits], dtype=np.int64)
        until = np.array([hit.end_ns for hit in estimate.hits], dtype=np.int64)
        lost = np.array([hit.seconds for hit in estimate.hits])
    # Of a segment without length nothing can be spread.
    until = np.maximum(until, begin + 1)
    return spread_over(begin, until, lost, edges[:-1], edges[1:])
