"""Converts time series into charts for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from jostle.plot import Panel, Series
from jostle.report.format.nodes import slowed_words
from jostle.report.format.values import iso_time
from jostle.report.models.machines.node_gpus import VIEWS, NodeGpu
from jostle.report.models.metrics import View, ViewLine
from jostle.report.models.steps import Steps

#: Most times in which a GPU was slowed that are named.
_MOST_SLOWED = 5


def panel(title: str, note: str, view: View, lines: Sequence[Steps]) -> Panel:
    """Return one panel of a chart.

    Args:
        title: Heading of the panel.
        note: Short text after the heading.
        view: The series to show.
        lines: The steps of each series.
    """
    drawn = [_series(line, view, steps) for line, steps in zip(view.lines, lines, strict=True)]
    return Panel(title, note, view.unit, view.level, tuple(drawn))


def gpu_panels(gpu: NodeGpu) -> list[Panel]:
    """Return a panel of each view of a GPU."""
    panels = []
    for view in VIEWS:
        if view.name not in gpu.values:
            continue
        rate = view.unit == "bytes/s"
        series = tuple(
            Series(label, gpu.edges, np.nan_to_num(row))
            for (label, _), row in zip(view.lines, gpu.values[view.name], strict=True)
        )
        title = f"{gpu.host} · GPU {gpu.gpu}"
        unit = "bytes" if rate else view.unit
        note = view.title if unit in ("bytes", "errors") else f"{view.title}, {unit}"
        panels.append(Panel(title, note, unit, not rate, series))
    return panels


def slowed_lines(gpus: Sequence[NodeGpu]) -> Iterator[str]:
    """Yield lines on times when power or heat lowered the clock of GPUs."""
    for gpu in gpus:
        for each in gpu.slowed[:_MOST_SLOWED]:
            when = f"{_minute(each.start_ns)} to {_minute(each.end_ns)}"
            yield f"{gpu.host} · GPU {gpu.gpu}, {when}: {slowed_words(each)}"
        if (more := len(gpu.slowed) - _MOST_SLOWED) > 0:
            yield f"{gpu.host} · GPU {gpu.gpu}: {more} more such times (--json has them all)"


def _minute(ns: int) -> str:
    return iso_time(ns)[:16].replace("T", " ")


def _series(line: ViewLine, view: View, steps: Steps) -> Series:
    if view.level:
        return Series(line.label, steps.edges, steps.values)
    per_second = steps.values / (steps.slice_ns / 1e9)
    total = float(steps.values.sum())
    return Series(line.label, steps.edges, per_second, total, steps.lasted_s)
