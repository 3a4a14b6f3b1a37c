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
    drawn = [_series(line, view, found) for line, found in zip(view.lines, lines, strict=True)]
    return Panel(title, note, view.unit, view.level, tuple(drawn))


def _series(line: ViewLine, view: View, found: Steps) -> Series:
    if view.level:
        return Series(line.label, found.edges, found.values)
    per_second = found.values / (found.slice_ns / 1e9)
    return Series(line.label, found.edges, per_second, float(found.values.sum()))
