"""Draws the load of several file servers and of their clients: Shah, 2020, figures 3.3 and 3.4."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from jostle.plot.charts import ceiling, share_label
from jostle.plot.figures import INK, LOOKS, Canvas, DrawnFigures, Page, bar, value_axis
from jostle_lab.analysis.study.model import Balance, StudyResult
from jostle_lab.plot.study.bars import LEFT, RIGHT
from jostle_lab.plot.study_charts import brief, kept_label, rate_label, source

_MOST = 4  # panels in a row
_GAP = 0.25  # inches between them
_IDLE = 0.2  # share of its fastest step below which a server is not busy
_SLOWER = 1.2  # times slower than the others: a server is slow


def server_pages(result: StudyResult) -> list[tuple[Page, Callable[[Canvas], None]]]:
    """Return the pages of a study with standalone programs on several servers."""
    found = result.balances[:_MOST]
    if not found:
        return []
    names = _labels(result, found)

    def times(canvas: Canvas) -> None:
        _draw_times(canvas, found, names)

    def rates(canvas: Canvas) -> None:
        _draw_rates(canvas, found, names)

    return [(_times_page(result, found, names), times), (_rates_page(result, found, names), rates)]


def _labels(result: StudyResult, found: Sequence[Balance]) -> list[str]:
    settings = [each.setting for each in result.balances]
    several = len({each.program for each in result.balances}) > 1
    return [
        ", ".join([each.program] * several + [brief(each.setting, settings)]).strip(", ")
        or each.program
        for each in found
    ]


def _times_page(result: StudyResult, found: Sequence[Balance], names: Sequence[str]) -> Page:
    said = [
        f"{share_label(each.spread.median)}{name}"
        for name, each in zip(_bracketed(names), found, strict=True)
    ]
    rows = tuple(
        (name, run, process, seconds)
        for name, each in zip(names, found, strict=True)
        for run, times in enumerate(each.seconds, 1)
        for process, seconds in enumerate(times)
    )
    return Page(
        "process-times",
        f"A program's processes differ in run time by {', by '.join(said)}",
        "Deviation over mean, median of the runs. Bars: processes of the run whose throughput is "
        f"nearest to the median; {kept_label(len(each.seconds) for each in found)}.",
        source(result),
        DrawnFigures(("setting", "run", "process", "seconds"), rows),
        body=1.9,
    )


def _rates_page(result: StudyResult, found: Sequence[Balance], names: Sequence[str]) -> Page:
    rows = tuple(
        (name, server, end, rate)
        for name, each in zip(names, found, strict=True)
        for server, rates in zip(each.servers, each.received, strict=True)
        for end, rate in zip(each.ends, rates, strict=True)
    )
    return Page(
        "server-throughput",
        _rates_title(found, names),
        "What each file server received, step by step, in the run whose throughput is nearest to "
        "the median.",
        source(result),
        DrawnFigures(("setting", "server", "end_s", "bytes_per_second"), rows),
        body=2.15,
    )


def _rates_title(found: Sequence[Balance], names: Sequence[str]) -> str:
    """Return a sentence that names a slow server or, if there is none, compares the busy times."""
    busy = [
        (_busy(each, rates), f"{server}{name}")
        for each, name in zip(found, _bracketed(names), strict=True)
        for server, rates in zip(each.servers, each.received, strict=True)
    ]
    rated = [(rate, seconds, name) for (seconds, rate), name in busy if seconds > 0]
    if not rated:
        return "No server received anything"
    (least, _, slow), (most, _, fast) = min(rated), max(rated)
    if most > _SLOWER * least:
        return (
            f"While it is busy, {slow} receives {rate_label(least, 'bytes')}, "
            f"{fast} {rate_label(most, 'bytes')}"
        )
    spans = sorted((seconds, name) for _, seconds, name in rated)
    return (
        f"All servers are as fast; {spans[0][1]} is busy for {spans[0][0]:.1f} s, "
        f"{spans[-1][1]} for {spans[-1][0]:.1f} s"
    )


def _busy(balance: Balance, rates: Sequence[float]) -> tuple[float, float]:
    """Return the time in which a server was busy, s, and the bytes received per second in it."""
    least = _IDLE * max(rates, default=0.0)
    lengths = [end - begin for begin, end in itertools.pairwise([0.0, *balance.ends])]
    steps = [(length, rate) for length, rate in zip(lengths, rates, strict=True) if rate > least]
    seconds = sum(length for length, _ in steps)
    return seconds, sum(length * rate for length, rate in steps) / seconds if seconds else 0.0


def _bracketed(names: Sequence[str]) -> list[str]:
    """Return the setting in brackets, to follow a server or a share; "" if there is only one."""
    return [f" ({name})" for name in names] if len(names) > 1 else [""]


def _panels(number: int, canvas: Canvas) -> tuple[list[float], float]:
    """Return the left edges of panels, and their width, inches."""
    width = (canvas.width - LEFT - RIGHT - (number - 1) * _GAP) / number
    return [LEFT + place * (width + _GAP) for place in range(number)], width


def _draw_times(canvas: Canvas, found: Sequence[Balance], names: Sequence[str]) -> None:
    """Draw a bar for each process."""
    top = ceiling(1.1 * max(max(each.middle) for each in found), "count")
    lefts, width = _panels(len(found), canvas)
    for left, each, name in zip(lefts, found, names, strict=True):
        axes = canvas.axes(left, 0.25, width, 1.2)
        for place, seconds in enumerate(each.middle):
            bar(axes, place, seconds, 0.7, LOOKS[0])
        value_axis(axes, top, "s")
        axes.set_title(name, loc="left", fontsize=7.5, color=INK)
        axes.set_xticks(range(len(each.middle)))
        axes.set_xlabel("process", color=INK)
        if left > LEFT:
            axes.set_yticklabels([])


def _draw_rates(canvas: Canvas, found: Sequence[Balance], names: Sequence[str]) -> None:
    """Draw a line for each server."""
    top = ceiling(
        1.05 * max(max(max(r, default=0.0) for r in each.received) for each in found), "bytes"
    )
    lefts, width = _panels(len(found), canvas)
    for left, each, name in zip(lefts, found, names, strict=True):
        axes = canvas.axes(left, 0.45, width, 1.25)
        for look, server, rates in zip(LOOKS, each.servers, each.received, strict=False):
            axes.step(
                each.ends,
                rates,
                where="pre",
                color=look.colour,
                linestyle=look.dash,
                linewidth=1.1,
                label=server,
            )
        value_axis(axes, top, "bytes")
        axes.set_xlim(0, each.ends[-1] if each.ends else 1)
        axes.set_title(name, loc="left", fontsize=7.5, color=INK)
        axes.set_xlabel("time, s", color=INK)
        if left > LEFT:
            axes.set_yticklabels([])
        else:
            axes.set_ylabel("received per second", color=INK)
            axes.legend(
                loc="lower left",
                bbox_to_anchor=(0, 1.13),
                ncols=4,
                frameon=False,
                borderaxespad=0,
                fontsize=7,
            )
