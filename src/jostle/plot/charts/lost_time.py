"""When a run lost its time, by cause: for the terminal's strip and for the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.chart import PALETTE, TERMINAL_PALETTE
from jostle.plot.terminal.chart import GUTTER, Span, time_axis
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseName, Estimate

_ORDER: tuple[CauseName, ...] = ("file system", "network", "cpu", "unknown", "memory or cpu")
_SHORT: dict[CauseName, str] = {"cpu": "CPU", "memory or cpu": "memory, CPU"}
#: The last has no colour of the palette: what runs differ by has those that are left.
COLOURS = dict(zip(_ORDER, (*PALETTE[:4], "#8B5E3C"), strict=True))
TERMINAL_COLOURS = dict(zip(_ORDER, (*TERMINAL_PALETTE[:4], "#C49A6C"), strict=True))
_NEARLY_ALL = 0.9  # of the loss


def lost_over_time(
    estimate: Estimate, borders: NDArray[np.float64]
) -> dict[CauseName, NDArray[np.float64]]:
    """Spread the lost seconds over spans of the run.

    Args:
        estimate: What was told of the run; each hit is spread evenly over its own span.
        borders: m + 1 instants in ns since the start of the run, ascending.

    Returns:
        For each cause that was hit, in a fixed order: m numbers, seconds lost in each span.
    """
    found = {}
    for cause in _ORDER:
        hits = [hit for hit in estimate.hits if hit.cause == cause]
        if not hits:
            continue
        lost = np.zeros(len(borders))
        for hit in hits:
            start, end = hit.start_ns - estimate.start_ns, hit.end_ns - estimate.start_ns
            done = np.clip((borders - start) / max(end - start, 1), 0.0, 1.0)
            lost += hit.seconds * done
        found[cause] = np.diff(lost)
    return found


def drawn_part(estimate: Estimate) -> str:
    """Return how much of the loss is drawn, where that is not nearly all.

    What every segment lost a little of is in none of them a hit.
    """
    lost, drawn = estimate.lost_s.value, sum(hit.seconds for hit in estimate.hits)
    if not estimate.hits or drawn >= _NEARLY_ALL * lost:
        return ""
    return (
        f"{duration(drawn * 1e9)} of {duration(lost * 1e9)} are drawn: the rest came in pieces too "
        "small to show"
    )


def draw_lost(estimate: Estimate, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw when the seconds were lost, one row per cause, as lines of styled text.

    Args:
        estimate: What was told of the run.
        width: Columns of the terminal; at least 40 are used.
        unicode: False for a terminal that knows only ASCII.

    Returns:
        Lines, each a list of (text, style); none where no hit is known.
    """
    columns = max(width, 40) - GUTTER - 2
    length = max(estimate.end_ns - estimate.start_ns, 1)
    borders = np.linspace(0.0, length, columns + 1)
    bars, idle, edge = (" ▁▂▃▄▅▆▇█", "·", "│") if unicode else (" .:#", "_", "|")
    steps = len(bars) - 1
    lines: list[list[Span]] = []
    for cause, seconds in lost_over_time(estimate, borders).items():
        share = np.clip(seconds / (length / 1e9 / columns), 0.0, 1.0)
        # Something is never drawn as nothing: the smallest bar stands for all that is above zero.
        levels = np.where(share > 1e-6, np.maximum(np.rint(share * steps), 1), 0).astype(int)
        text = "".join(bars[level] if level else idle for level in levels)
        name = _SHORT.get(cause, cause)
        lines.append([(f"{name:>{GUTTER - 1}} {edge}", "dim"), (text, TERMINAL_COLOURS[cause])])
    if lines:
        lines.extend(time_axis(estimate.start_ns, estimate.end_ns, columns, unicode=unicode))
    return lines
