"""Text of `jostle top`: a table for pipes, and the lines of the full-screen view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.cli.output import table
from jostle.report.format.values import duration, local_time, points
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from rich.table import Table

Row = Mapping[str, Any]
#: Sort keys of jobs.
SORTS = ("now", "lost", "job", "user")
_BARS = " ▁▂▃▄▅▆▇█"
_ASCII_BARS = " .:-=+*#@"
#: A trend shows at least this loss as a full bar, percent.
_FULL_PERCENT = 25.0
_WIDTHS = {"job": 24, "user": 10, "now": 6, "trend": 16, "lost": 11, "on": 26}
KEYS = "q quit  up/down select  enter slices  s sort  / filter  space freeze"


@dataclass
class TopState:
    """The user's choices on the screen.

    Attributes:
        sort: Sort key, one of SORTS.
        filter: Text that the line of a shown job must contain.
        typing: Whether the filter is being typed.
        frozen: Whether new slices are not shown.
        selected: Name of the selected job; "": the first.
        opened: Name of the job whose slices are shown; "": the list is shown.
        error: Reason why the newest slices could not be read; "": they could.
    """

    sort: str = "now"
    filter: str = ""
    typing: bool = False
    frozen: bool = False
    selected: str = ""
    opened: str = ""
    error: str = ""


def chosen(report: Mapping[str, Any], sort: str, text: str = "", user: str = "") -> list[Row]:
    """Return the jobs to show, in their order.

    Args:
        report: Report from `NowReport.to_json`.
        sort: Sort key, one of SORTS.
        text: Text that the line of a shown job must contain; "": any.
        user: Owner of the shown jobs; "": all users.
    """
    rows = [row for row in report["jobs"] if not user or row["user"] == user]
    if text:
        rows = [row for row in rows if text.lower() in " ".join(_cells(row)).lower()]
    orders: Mapping[str, Callable[[Row], Any]] = {
        "now": lambda row: (-row["now_percent"], -row["lost_s"], row["job"]),
        "lost": lambda row: (-row["lost_s"], row["job"]),
        "job": lambda row: row["job"],
        "user": lambda row: (row["user"], row["job"]),
    }
    return sorted(rows, key=orders[sort])


def trend_bars(trend: Sequence[float], width: int, *, ascii_only: bool = False) -> str:
    """Draw percentages as bars, the newest on the right.

    Args:
        trend: Percent lost in each slice.
        width: Largest number of bars.
        ascii_only: Whether to avoid block characters.
    """
    marks = _ASCII_BARS if ascii_only else _BARS
    full = max([*trend, _FULL_PERCENT])
    return "".join(marks[min(round(8 * value / full), 8)] for value in trend[-width:]).rjust(width)


def _now(row: Row) -> str:
    return "learns" if row["learning"] and not row["now_percent"] else _percent(row["now_percent"])


def _percent(value: float) -> str:
    return f"{points(value)} %"


def _cells(row: Row) -> list[str]:
    return [
        one_line(str(text))
        for text in (
            row["job"],
            row["user"],
            _now(row),
            duration(1e9 * row["lost_s"]),
            row["place"] or "-",
            row["why"] or ("" if row["running"] else "it has ended"),
        )
    ]


def top_table(rows: Sequence[Row]) -> Table:
    """Return the table of `jostle top --once`."""
    from jostle.cli.output import utf8

    frame = table(["=job", "user", ">loses now", "trend", ">lost so far", "on", "by"])
    for row in rows:
        job, user, now, lost, place, why = _cells(row)
        bars = trend_bars(row["trend"], 12, ascii_only=not utf8())
        frame.add_row(job, user, now, bars.strip() or "-", lost, place, why or "-")
    return frame


def change_lines(rows: Sequence[Row]) -> list[str]:
    """Return the newest change of each job as a line of text."""
    return [
        one_line(f"{row['job']}: {row['last_change']}")
        for row in rows
        if row["last_change"] and row["changes"]
    ]


def headline(report: Mapping[str, Any]) -> str:
    """Return a sentence on the current state of all jobs together."""
    rows = report["jobs"]
    if not rows:
        return "No job runs, or none has a whole slice yet."
    running = sum(row["running"] for row in rows)
    losing = sum(row["now_percent"] >= 1 for row in rows)
    jobs = f"{running} job{'' if running == 1 else 's'}"
    return f"{jobs} running, {losing} losing time to others; newest slice ended at {_clock(report)}"


def _clock(report: Mapping[str, Any]) -> str:
    return local_time(report["newest_ns"], zone=False) if report["newest_ns"] else "?"


def screen(
    report: Mapping[str, Any], state: TopState, size: tuple[int, int], *, ascii_only: bool = False
) -> list[tuple[str, str]]:
    """Return the lines of the screen.

    Args:
        report: Report from `NowReport.to_json`.
        state: The user's choices.
        size: Columns and lines of the terminal.
        ascii_only: Whether to avoid block characters.

    Returns:
        Text and style ("", bold, dim, selected, red) of each line, at most as many as fit.
    """
    width, height = size
    rows = chosen(report, state.sort, state.filter)
    opened = next((row for row in rows if row["job"] == state.opened), None)
    lines = [(headline(report), "bold")]
    if state.error:
        lines.append((state.error, "red"))
    if state.frozen:
        lines.append(("frozen: press space to go on", "bold"))
    body = (
        _opened_lines(opened, width, ascii_only) if opened else _list_lines(rows, state, ascii_only)
    )
    foot = f"filter: {state.filter}_" if state.typing else _foot(state, opened is not None)
    room = max(height - len(lines) - 1, 0)
    first = max(_selected_at(body) - room + 1, 0)
    lines += body[first : first + room]
    lines += [("", "")] * (height - 1 - len(lines))
    lines.append((foot, "dim"))
    return [(text[: width - 1], style) for text, style in lines[:height]]


def _foot(state: TopState, opened: bool) -> str:
    if opened:
        return "q quit  esc back to the list  space freeze"
    more = f"  (only lines with: {state.filter})" if state.filter else ""
    return f"{KEYS}  sorted by: {state.sort}{more}"


def _selected_at(body: Sequence[tuple[str, str]]) -> int:
    return next((at for at, (_, style) in enumerate(body) if style == "selected"), 0)


def _list_lines(rows: Sequence[Row], state: TopState, ascii_only: bool) -> list[tuple[str, str]]:
    names = ("job", "user", "now", "trend", "lost", "on")
    head = " ".join(_fit(name, _WIDTHS[name], right=name in ("now", "lost")) for name in names)
    lines = [(f"{head} by", "dim")]
    selected = state.selected if any(row["job"] == state.selected for row in rows) else ""
    for at, row in enumerate(rows):
        job, user, now, lost, place, why = _cells(row)
        bars = trend_bars(row["trend"], _WIDTHS["trend"], ascii_only=ascii_only)
        cells = dict(zip(names, (job, user, now, bars, lost, place), strict=True))
        text = " ".join(
            _fit(cells[name], _WIDTHS[name], right=name in ("now", "lost")) for name in names
        )
        mark = "selected" if row["job"] == selected or (not selected and not at) else ""
        mark = mark or ("red" if row["now_percent"] >= 15 else "")
        lines.append((f"{text} {why}", mark))
    return lines


def _fit(text: str, width: int, *, right: bool = False) -> str:
    if len(text) > width:
        text = text[: width - 1] + "~"
    return text.rjust(width) if right else text.ljust(width)


def _opened_lines(row: Row, width: int, ascii_only: bool) -> list[tuple[str, str]]:
    """Return the details of one job, with its newest slices and changes."""
    smallest = row["smallest_percent"]
    lines = [
        (f"{row['job']}  {row['user']}  {row['program']}", "bold"),
        (
            f"evaluated {duration(1e9 * row['run_s'])}; lost to others "
            f"{duration(1e9 * row['lost_s'])}; slower for no known reason "
            f"{duration(1e9 * row['unexplained_s'])}",
            "",
        ),
        (f"loses now {_now(row)}" + (f" on {row['place']}" if row["place"] else ""), ""),
        (f"by {row['why']}" if row["why"] else "", ""),
        (
            "its usual times are not known yet: it takes 20 slices"
            if smallest is None
            else f"a slow-down of {smallest:.0f} % or more is found within three slices",
            "dim",
        ),
        ("", ""),
        ("lost in its newest slices, percent:", "dim"),
        (trend_bars(row["trend"], min(width - 2, 60), ascii_only=ascii_only), ""),
        (" ".join(points(value) for value in row["trend"][-20:]), ""),
        ("", ""),
        ("changes, the newest first:" if row["changes"] else "no change was found", "dim"),
    ]
    for change in reversed(row["changes"]):
        who = ", ".join(
            f"{each['job']} ({100 * each['confidence']:.0f} %)" for each in change["suspects"][:3]
        )
        text = (
            f"{local_time(change['at_ns'], zone=False)}  {change['kind']}: {change['what']} "
            f"{change['percent']:+.0f} %  {change['because']}  {who}"
        )
        lines.append((one_line(text), ""))
    return lines
