"""The time that a run lost, over its run time and by cause: data of charts and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseName, RunEstimate

#: Causes in the order in which charts show them.
ORDER: tuple[CauseName, ...] = (
    "file system",
    "network",
    "cpu",
    "unknown",
    "memory or cpu",
    "memory",
    "gpu",
    "bus",
)
_NEARLY_ALL = 0.9  # of the loss


def lost_over_time(
    estimate: RunEstimate, borders: NDArray[np.float64]
) -> dict[CauseName, NDArray[np.float64]]:
    """Spread the lost seconds over spans of the run.

    Args:
        estimate: The estimate of the run. The loss of each hit is spread evenly over the hit's
            time.
        borders: The m + 1 boundaries of m spans, ns since the start of the run, ascending.

    Returns:
        For each cause with hits, in a fixed order, the seconds lost in each of the m spans.
    """
    spread = {}
    for cause in ORDER:
        parts = [
            (hit, sum(part.seconds for part in hit.by_cause if part.cause == cause))
            for hit in estimate.hits
        ]
        parts = [(hit, seconds) for hit, seconds in parts if seconds > 0]
        if not parts:
            continue
        lost = np.zeros(len(borders))
        for hit, seconds in parts:
            start, end = hit.start_ns - estimate.start_ns, hit.end_ns - estimate.start_ns
            done = np.clip((borders - start) / max(end - start, 1), 0.0, 1.0)
            lost += seconds * done
        spread[cause] = np.diff(lost)
    return spread


def drawn_part(estimate: RunEstimate) -> str:
    """Return a sentence on the part of the loss that is drawn; "" if it is nearly all.

    The sum of small losses in many segments is part of the loss, but no such loss is a hit, and
    only hits are drawn.
    """
    lost, drawn = estimate.lost_s.value, sum(hit.seconds for hit in estimate.hits)
    if not estimate.hits or drawn >= _NEARLY_ALL * lost:
        return ""
    return (
        f"{duration(drawn * 1e9)} of {duration(lost * 1e9)} are drawn: the rest came in pieces too "
        "small to show"
    )


def join_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans of time that touch or overlap.

    Args:
        spans: (begin, end) of each span, in any order.

    Returns:
        (begin, end) of the joined spans, the earliest first.
    """
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
