"""From series to charts."""

from __future__ import annotations

from collections.abc import Sequence

from jostle.plot import Panel, Series
from jostle.report.models.metrics import View, ViewLine
from jostle.report.models.steps import Steps


def panel(title: str, note: str, view: View, lines: Sequence[Steps]) -> Panel:
    """Make one panel.

    Args:
        title: Heading.
        note: A few words behind it.
        view: The series to show.
        lines: The steps of each.
    """
    drawn = [_series(line, view, steps) for line, steps in zip(view.lines, lines, strict=True)]
    return Panel(title, note, view.unit, view.level, tuple(drawn))


def _series(line: ViewLine, view: View, steps: Steps) -> Series:
    if view.level:
        return Series(line.label, steps.edges, steps.values)
    per_second = steps.values / (steps.slice_ns / 1e9)
    total = float(steps.values.sum())
    return Series(line.label, steps.edges, per_second, total, steps.lasted_s)
