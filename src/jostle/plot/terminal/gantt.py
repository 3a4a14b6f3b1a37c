"""Draws the run times of jobs in a terminal, one row per job, on one time axis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from jostle.plot.charts.chart import TERMINAL_PALETTE
from jostle.plot.terminal.chart import GUTTER, Span, time_axis


@dataclass(frozen=True)
class GanttRow:
    """A row of the chart: the run time of one job.

    Attributes:
        label: Name of the job.
        start_ns: Start of the job.
        end_ns: End of the job.
        mark: Whether the others are neighbours of this job.
    """

    label: str
    start_ns: int
    end_ns: int
    mark: bool = False


def draw_gantt(rows: list[GanttRow], *, width: int, unicode: bool) -> Iterator[list[Span]]:
    """Yield a line per job that shows its run time, on the time axis of the first job.

    Args:
        rows: The jobs; the first one gives the axis.
        width: Columns of the terminal; at least 50 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.
    """
    full, wall = ("█", "│") if unicode else ("#", "|")
    start, end = rows[0].start_ns, max(rows[0].end_ns, rows[0].start_ns + 1)
    columns = max(width, 50) - GUTTER - 2
    for row in rows:
        first = (max(row.start_ns, start) - start) / (end - start) * columns
        last = (min(row.end_ns, end) - start) / (end - start) * columns
        place = min(math.floor(first), columns - 1)
        bar = full * max(math.ceil(last) - place, 1)
        colour = TERMINAL_PALETTE[0 if row.mark else 1]
        label = row.label if len(row.label) < GUTTER else row.label[: GUTTER - 3] + ".."
        yield [(f"{label:>{GUTTER - 1}} ", ""), (wall, "dim"), (" " * place + bar, colour)]
    yield from time_axis(start, end, columns, unicode=unicode)
