"""Draws the lost time of a run over its run time, by cause, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.cause_colours import TERMINAL_COLOURS
from jostle.plot.terminal.chart import GUTTER, Span, time_axis
from jostle.report.models.job.lost_time import lost_over_time

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseName, RunEstimate

_SHORT: dict[CauseName, str] = {
    "cpu": "CPU",
    "memory or cpu": "memory, CPU",
    "gpu": "GPU",
    "bus": "GPU transfers",
}


def draw_lost(estimate: RunEstimate, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the lost time over the run time, one row per cause, as lines of styled text.

    Args:
        estimate: The estimate of the run.
        width: Columns of the terminal; at least 40 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.

    Returns:
        Lines, each a list of (text, style); none if no interfered segment is known.
    """
    columns = max(width, 40) - GUTTER - 2
    length = max(estimate.end_ns - estimate.start_ns, 1)
    borders = np.linspace(0.0, length, columns + 1)
    bars, idle, edge = (" ▁▂▃▄▅▆▇█", "·", "│") if unicode else (" .:#", "_", "|")
    steps = len(bars) - 1
    lines: list[list[Span]] = []
    for cause, seconds in lost_over_time(estimate, borders).items():
        share = np.clip(seconds / (length / 1e9 / columns), 0.0, 1.0)
        # A value above zero is never drawn as empty: it gets at least the smallest bar.
        levels = np.where(share > 1e-6, np.maximum(np.rint(share * steps), 1), 0).astype(int)
        text = "".join(bars[level] if level else idle for level in levels)
        name = _SHORT.get(cause, cause)
        lines.append([(f"{name:>{GUTTER - 1}} {edge}", "dim"), (text, TERMINAL_COLOURS[cause])])
    if lines:
        lines.extend(time_axis(estimate.start_ns, estimate.end_ns, columns, unicode=unicode))
    return lines
