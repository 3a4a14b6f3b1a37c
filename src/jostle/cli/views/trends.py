"""Shows programs that slow others or are slowed, per week, as text and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, table
from jostle.plot.charts.matrix import potential
from jostle.report.format.values import count

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.report.models.trends import ProgramTrends, WeekOfProgram


def view(trends: ProgramTrends) -> Iterator[Any]:
    """Yield the answer, and tables of the slowdowns that programs cause and suffer."""
    yield heading(_answer(trends))
    if not trends.programs:
        return
    note = "  mean slowdown per week; in brackets: not proven"
    yield from ("", heading("Active: slows others", note))
    yield _weeks(trends, lambda week: potential(week.active, proven=bool(week.hurts)))
    yield from ("", heading("Passive: is slowed", note))
    yield _weeks(trends, lambda week: potential(week.passive, proven=bool(week.hurt_by)))


def _answer(trends: ProgramTrends) -> str:
    if not trends.programs:
        return "There are no slices to compare."
    proven = {
        name: sum(bool(week and week.hurts) for week in weeks)
        for name, weeks in trends.programs.items()
    }
    name, most = max(proven.items(), key=lambda each: each[1])
    of = len(trends.begins_ns)
    if not most:
        return f"In {_many(of)} no program was seen to slow another, with evidence."
    others = sum(bool(weeks) for weeks in proven.values()) - 1
    more = f"; {count(others)} more did in some week" if others else ""
    return f"{name} slowed others, with evidence, in {count(most)} of {_many(of)}{more}."


def _many(weeks: int) -> str:
    return f"{count(weeks)} week{'' if weeks == 1 else 's'}"


def _weeks(trends: ProgramTrends, cell: Callable[[WeekOfProgram], str]) -> Table:
    days = [datetime.fromtimestamp(begin // 10**9, UTC) for begin in trends.begins_ns]
    frame = table(["=program", *(f">{day:%m-%d}" for day in days)])
    for name, weeks in trends.programs.items():
        frame.add_row(name, *("-" if week is None else cell(week) for week in weeks))
    return frame
