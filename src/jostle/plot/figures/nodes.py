"""Figures of components that are persistently worse than their peers, day by day."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.chart import PALETTE
from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, RULE, Canvas, DrawnFigures, Page, Plan
from jostle.report.format.nodes import size_of, what_of

if TYPE_CHECKING:
    from jostle.analysis.nodes import Difference, NodeDifferences

_MOST = 24  # figures
_LEFT, _RIGHT, _TOP, _HIGH, _FOOT = 0.72, 1.1, 0.1, 1.7, 0.45  # inches


def plans(content: NodeDifferences) -> Iterator[Plan]:
    """Yield a figure for each difference, the one with most evidence first."""
    for each in content.differences[:_MOST]:
        yield _page(each), partial(_draw, each=each)


def _page(each: Difference) -> Page:
    from jostle.analysis.nodes import date_of

    title = f"{each.host}, {what_of(each)}: {size_of(each)}"
    unit = "rate" if each.unit else "difference_percent"
    what = "Rate" if each.unit else "Difference from the median of its peers at similar load"
    note = (
        f"{what}, per day (UTC). Filled: days that "
        "healthy peers' changes from day to day explain less than once in twenty. Grey: where nine "
        "in ten peers are."
    )
    foot = (
        f"{each.peers} peers; worse on {each.worse_days} of {each.days} days since "
        f"{date_of(each.since_day)}; e-value {each.evidence:.2g}."
    )
    numbers = DrawnFigures(
        ("day", unit, f"peers_low_{unit}", f"peers_high_{unit}", "worse"),
        tuple(
            (date_of(day.day), day.value, day.low, day.high, int(day.worse)) for day in each.course
        ),
    )
    stem = f"nodes-{slug(each.host)}-{slug(each.component)}-{slug(each.figure)}"
    return Page(stem, title, note, foot, numbers, width=FULL, body=_TOP + _HIGH + _FOOT)


def _draw(canvas: Canvas, each: Difference) -> None:
    from jostle.analysis.nodes import date_of

    axes = canvas.axes(_LEFT, _TOP, canvas.width - _LEFT - _RIGHT, _HIGH)
    days = np.array([day.day for day in each.course])
    own, low, high = (
        np.array([getattr(day, name) for day in each.course]) for name in ("value", "low", "high")
    )
    worse = np.array([day.worse for day in each.course])
    axes.fill_between(days, low, high, color=RULE, alpha=0.7, linewidth=0, step=None)
    axes.axhline(0.0, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)))
    colour = PALETTE[1]
    axes.plot(days, own, color=colour, linewidth=0.8, zorder=2)
    axes.scatter(days[worse], own[worse], color=colour, s=16, zorder=3)
    axes.scatter(days[~worse], own[~worse], facecolor="white", edgecolor=colour, s=16, zorder=3)
    axes.set_ylabel(f"per {each.unit}" if each.unit else "difference from peers, %")
    axes.grid(axis="y")
    ticks = days[:: -(-len(days) // 12)]
    axes.set_xticks(ticks)
    axes.set_xticklabels([date_of(int(day))[5:] for day in ticks])
    axes.set_xlim(days[0] - 0.5, days[-1] + 0.5)
    axes.set_xlabel(f"day of {date_of(int(days[0]))[:4]} (UTC)", loc="left")
    for text, value in ((each.host, own[-1]), ("peers", (low[-1] + high[-1]) / 2)):
        axes.annotate(
            text,
            (1, value),
            (6, 0),
            ("axes fraction", "data"),
            "offset points",
            fontsize=6.5,
            color=INK,
            va="center",
            annotation_clip=False,
        )
