"""Draws the figures of a validation: Shah, 2020, figures 5.4, 5.17 to 5.20; and lab losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.plot.figures import (
    FULL,
    INK,
    LOOKS,
    NARROW,
    SOFT,
    Canvas,
    DrawnFigures,
    Page,
    Plan,
    Saved,
    draw_pages,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle_lab.validation.lab.score import Seen
    from jostle_lab.validation.results import Results
    from jostle_lab.validation.score import Row

#: Below the first a run is low, above the second high (Shah, 2020, section 5.2.3).
_LOW, _HIGH = 7.5, 15.0
_LEFT, _RIGHT, _TALL = 0.55, 0.15, 1.75
_METHODS = {"jostle": LOOKS[0], "thesis": LOOKS[1], "thesis, raw": LOOKS[2]}
_FOOT = "Truth: against the fastest tenth of all runs of the program, window by window"


def draw_all(
    results: Results, folder: Path, endings: Sequence[str] = ("png",), progress: Any = None
) -> list[Saved]:
    """Draw all that a validation has data for.

    Args:
        results: Results of the validation.
        folder: Folder for the figures.
        endings: Formats: png, svg, pdf.
        progress: Function that shows the progress, as for draw_pages.

    Returns:
        The written files, in order.
    """
    return draw_pages(plans(results), folder, endings, progress)


def plans(results: Results) -> Iterator[Plan]:
    """Yield the figures that a validation has data for, without drawing them."""
    every = results.estimation.rows if results.estimation else []
    for code in dict.fromkeys(row.code for row in every):
        own = sorted(
            (row for row in every if row.code == code and "jostle" in row.said),
            key=lambda row: -row.truth.run_s,
        )
        if own:
            unknown = results.estimation.unknown.get(code, "") if results.estimation else ""
            yield _runs_page(code, own, unknown), partial(_draw_runs, rows=own)
    rows = results.estimation.scored if results.estimation else []
    if rows:
        yield _logistic_page(rows), partial(_draw_logistic, rows=rows)
    for name, kinds in (("injected", ("inject",)), ("disturbed", ("cpu", "memory", "write-seek"))):
        some = [row for row in rows if row.kind in kinds]
        if any("jostle" in row.said for row in some):
            yield _boxes_page(name, some), partial(_draw_boxes, rows=some)
    if results.seen:
        yield _lab_page(results.seen), partial(_draw_lab, seen=results.seen)
    if results.clustering:
        yield (
            _clustering_page(results.clustering),
            partial(_draw_clustering, found=results.clustering),
        )


def _runs_page(code: str, rows: Sequence[Row], unknown: str = "") -> Page:
    """Figure 5.17: runs of one program, the longest first, measured and estimated.

    Args:
        code: Name of the program.
        rows: Its runs.
        unknown: Reason why the program's true loss is not known; "" if it is known.
    """
    off = float(np.median([abs(row.truth.total - row.said["jostle"].total) for row in rows]))
    note = (
        "Loss in percent of the run: true (M), and estimated from that run and the speed of its "
        "cores (E), with the 95 % interval. The machine's own: loss that was not injected. "
        f"Runs by run time, the longest first; below {_LOW:g} % is low, above {_HIGH:g} % high."
    )
    columns = (
        "run",
        "kind",
        "run_s",
        "measured_percent",
        "estimated_percent",
        "low_percent",
        "high_percent",
        "thesis_measured_percent",
        "thesis_estimated_percent",
        "machine_percent",
        "steal_percent",
        "others_percent",
    )
    numbers = tuple(
        (
            row.job,
            row.kind,
            row.truth.run_s,
            row.truth.total,
            row.said["jostle"].total,
            row.said["jostle"].low,
            row.said["jostle"].high,
            row.thesis,
            row.said["thesis"].percent,
            row.own,
            100 * row.noise["steal"],
            100 * row.noise["foreign"],
        )
        for row in rows
    )
    title = f"{code}: estimates of {len(rows)} runs are {off:.1f} points off in the median"
    if unknown:
        title = f"{code}, {len(rows)} runs, is not scored: {unknown}"
    return Page(
        f"runs-{code.replace('@', '-')}",
        title,
        note,
        _FOOT,
        DrawnFigures(columns, numbers),
        width=FULL,
        body=_TALL + 0.7,
    )


def _draw_runs(canvas: Canvas, rows: Sequence[Row]) -> None:
    axes = canvas.axes(_LEFT, 0.25, canvas.width - _LEFT - _RIGHT, _TALL)
    place = np.arange(len(rows))
    measured = [row.truth.total for row in rows]
    said = [row.said["jostle"] for row in rows]
    values = [one.total for one in said]
    # The interval is of the loss without the warning: drawn around the sum of both.
    spans = [
        [max(one.percent - one.low, 0) for one in said],
        [max(one.high - one.percent, 0) for one in said],
    ]
    axes.bar(
        place - 0.2,
        measured,
        0.36,
        color=LOOKS[0].fill,
        edgecolor=LOOKS[0].colour,
        linewidth=0.7,
        label="M: true",
    )
    own = [min(max(row.own, 0.0), max(row.truth.total, 0.0)) for row in rows]
    axes.bar(
        place - 0.2,
        own,
        0.36,
        bottom=np.subtract(measured, own),
        color="white",
        edgecolor=LOOKS[0].colour,
        linewidth=0.7,
        label="of it the machine's own",
    )
    axes.bar(
        place + 0.2,
        values,
        0.36,
        color=LOOKS[1].fill,
        edgecolor=LOOKS[1].colour,
        linewidth=0.7,
        hatch=LOOKS[1].hatch,
        label="E: as estimated",
    )
    axes.errorbar(place + 0.2, values, spans, fmt="none", ecolor=INK, elinewidth=0.7, capsize=1.5)
    _classes(axes)
    highest = [value + over for value, over in zip(values, spans[1], strict=True)]
    _percent(axes, max([*measured, *highest, 16.0]))
    axes.set_xlim(-0.7, len(rows) - 0.3)
    axes.set_xticks(place)
    axes.set_xticklabels([row.kind for row in rows], rotation=90, fontsize=6)
    axes.set_ylabel("loss", color=INK)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=7, borderaxespad=0.2)


def _classes(axes: Axes) -> None:
    for edge in (_LOW, _HIGH):
        axes.axhline(edge, color=SOFT, linewidth=0.7, linestyle=(0, (4, 2)))


def _percent(axes: Axes, most: float) -> None:
    axes.set_ylim(min(axes.get_ylim()[0], 0), most * 1.08)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(axis="y")


def _logistic_page(rows: Sequence[Row]) -> Page:
    """Figure 5.18: the logistic function, and the probabilities of all runs."""
    from jostle.analysis import probability

    numbers = tuple(
        (
            row.job,
            method,
            row.measured(method),
            row.estimated(method),
            probability(row.measured(method)),
            probability(row.estimated(method)),
        )
        for row in rows
        for method in row.said
    )
    columns = (
        "run",
        "method",
        "measured_percent",
        "estimated_percent",
        "measured_probability",
        "estimated_probability",
    )
    return Page(
        "soft-probability",
        f"Probability that a run is unfit for analysis, true and estimated: {len(rows)} runs",
        "Left: the soft classifier of Shah, 2020, section 5.2.3. Right: each run; on the diagonal "
        "both agree.",
        _FOOT,
        DrawnFigures(columns, numbers),
        width=FULL,
        body=2.6,
    )


def _draw_logistic(canvas: Canvas, rows: Sequence[Row]) -> None:
    from jostle.analysis import probability

    half = (canvas.width - _RIGHT) / 2
    left = canvas.axes(_LEFT, 0.3, half - _LEFT - 0.15, 1.9)
    grid = np.linspace(0, 30, 241)
    left.plot(grid, [probability(float(x)) for x in grid], color=LOOKS[0].colour, linewidth=1.4)
    for edge in (_LOW, _HIGH):
        left.axvline(edge, color=SOFT, linewidth=0.7, linestyle=(0, (4, 2)))
    left.set_xlabel("loss in percent of the run", color=INK)
    left.set_ylabel("probability", color=INK)
    right = canvas.axes(half + _LEFT, 0.3, half - _LEFT, 1.9)
    right.plot([0, 1], [0, 1], color=SOFT, linewidth=0.7)
    for method, look in _METHODS.items():
        some = [row for row in rows if method in row.said]
        right.plot(
            [probability(row.measured(method)) for row in some],
            [probability(row.estimated(method)) for row in some],
            look.marker,
            color=look.colour,
            markersize=3,
            linewidth=0,
            label=method,
            alpha=0.7,
        )
    right.set_xlabel("as measured", color=INK)
    right.set_ylabel("as estimated", color=INK)
    right.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=7, borderaxespad=0.2)
    for axes in canvas.drawn:
        axes.grid(axis="y")


def _boxes_page(name: str, rows: Sequence[Row]) -> Page:
    """Figures 5.19 and 5.20: accuracy and difference per program, as boxes."""
    from jostle_lab.analysis.validation import soft_accuracy

    numbers = tuple(
        (
            row.code,
            method,
            row.job,
            soft_accuracy(row.measured(method), row.estimated(method)),
            abs(row.measured(method) - row.estimated(method)),
        )
        for row in rows
        for method in row.said
    )
    accuracy = float(np.median([one[3] for one in numbers if one[1] == "jostle"]))
    what = {"injected": "injected delays", "disturbed": "concurrent load"}[name]
    return Page(
        f"accuracy-{name}",
        f"Runs with {what}: accuracy of the verdict {accuracy:.2f} in the median",
        "Left: 1 less the difference of the soft probabilities. Right: difference in points of "
        "the run time. Box: quartiles and median; whiskers: all runs. Method thesis against the "
        "fastest run, as there; raw: from segments that are not coalesced, as there. Method "
        "jostle against the oracle.",
        _FOOT,
        DrawnFigures(("program", "method", "run", "soft_accuracy", "difference_points"), numbers),
        width=FULL,
        body=2.6,
    )


def _draw_boxes(canvas: Canvas, rows: Sequence[Row]) -> None:
    from jostle_lab.analysis.validation import soft_accuracy

    codes = list(dict.fromkeys(row.code for row in rows))
    half = (canvas.width - _RIGHT) / 2
    left = canvas.axes(_LEFT, 0.25, half - _LEFT - 0.1, _TALL)
    right = canvas.axes(half + _LEFT, 0.25, half - _LEFT, _TALL)
    methods = {
        name: look for name, look in _METHODS.items() if any(name in row.said for row in rows)
    }
    wide = 0.76 / len(methods)
    for number, (method, look) in enumerate(methods.items()):
        for axes, value in (
            (left, lambda row, m: soft_accuracy(row.measured(m), row.estimated(m))),
            (right, lambda row, m: abs(row.measured(m) - row.estimated(m))),
        ):
            values = [
                [value(row, method) for row in rows if row.code == code and method in row.said]
                for code in codes
            ]
            box = axes.boxplot(
                values,
                positions=np.arange(len(codes)) + (number + 0.5) * wide - 0.38,
                widths=0.84 * wide,
                whis=(0, 100),
                patch_artist=True,
                manage_ticks=False,
                medianprops={"color": INK, "linewidth": 1.2},
            )
            for patch in box["boxes"]:
                patch.set(
                    facecolor=look.fill,
                    edgecolor=look.colour,
                    hatch=look.hatch,
                    linewidth=0.7,
                    label=method,
                )
            for part in (*box["whiskers"], *box["caps"]):
                part.set(color=look.colour, linewidth=0.7)
    for axes in (left, right):
        axes.set_xticks(range(len(codes)))
        many = {"rotation": 40, "fontsize": 6.5} if len(codes) > 6 else {"rotation": 20}
        axes.set_xticklabels(codes, ha="right", **many)
        axes.grid(axis="y")
    left.set_ylim(min(left.get_ylim()[0], 0.5), 1.02)
    left.set_ylabel("accuracy", color=INK)
    right.set_ylabel("difference, points", color=INK)
    handles = {str(handle.get_label()): handle for handle in left.patches}
    left.legend(
        list(handles.values()),
        list(handles),
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=3,
        fontsize=7,
        borderaxespad=0.2,
    )


def _lab_page(seen: Sequence[Seen]) -> Page:
    columns = ("experiment", "kind", "probe", "lost_s", "said_s", "low_s", "high_s", "f1")
    numbers = tuple(
        (one.job, one.name, one.probe, one.lost_s, one.said_s, one.low_s, one.high_s, one.slices.f1)
        for one in seen
    )
    return Page(
        "seconds-lost-in-the-lab",
        f"Seconds lost in the lab, and what was said: {len(seen)} experiments",
        "Each point is an experiment; lines are 95 % intervals. Lost: time in the slices with the "
        "harmful neighbour that the work done there does not need alone.",
        "Truth: runs of the same probe alone, and the signals' own logs",
        DrawnFigures(columns, numbers),
        width=NARROW,
        body=2.95,
    )


def _draw_lab(canvas: Canvas, seen: Sequence[Seen]) -> None:
    axes = canvas.axes(_LEFT, 0.1, canvas.width - _LEFT - _RIGHT, 2.35)
    for number, name in enumerate(dict.fromkeys(one.name for one in seen)):
        some, look = [one for one in seen if one.name == name], LOOKS[number]
        spans = [
            [max(one.said_s - one.low_s, 0) for one in some],
            [max(one.high_s - one.said_s, 0) for one in some],
        ]
        axes.errorbar(
            [one.lost_s for one in some],
            [one.said_s for one in some],
            spans,
            fmt=look.marker,
            color=look.colour,
            markersize=3.5,
            elinewidth=0.6,
            label=name,
        )
    most = max(max(one.lost_s, one.said_s) for one in seen) * 1.08 + 0.1
    axes.plot([0, most], [0, most], color=SOFT, linewidth=0.7)
    axes.set_xlabel("seconds lost", color=INK)
    axes.set_ylabel("seconds said", color=INK)
    axes.legend(loc="upper left", fontsize=7)
    axes.grid(axis="y")


def _clustering_page(found: Sequence[Any]) -> Page:
    """Figure 5.4: scores of the methods that cluster computation."""
    numbers = tuple(
        (one.code, row.method, row.clusters, row.spread, row.unclustered)
        for one in found
        for row in one.rows
    )
    columns = ("program", "method", "clusters", "mean_std_over_mean", "share_unclustered")
    return Page(
        "clustering",
        f"Relative distance 0.1 leaves {_alone(found, 'relative 0.1')} of the segments alone, "
        f"k-means {_alone(found, 'k-means')}",
        "Left: mean over clusters of standard deviation by mean. Right: share of segments in "
        "clusters of fewer than five. Mean over the programs; points: each program.",
        "Segments of clean runs",
        DrawnFigures(columns, numbers),
        width=FULL,
        body=2.6,
    )


def _alone(found: Sequence[Any], method: str) -> str:
    shares = [row.unclustered for one in found for row in one.rows if row.method == method]
    return f"{100 * float(np.mean(shares)):.0f} %" if shares else "-"


def _draw_clustering(canvas: Canvas, found: Sequence[Any]) -> None:
    names = list(dict.fromkeys(row.method for one in found for row in one.rows))
    half = (canvas.width - _RIGHT) / 2
    for side, (field, label) in enumerate(
        (("spread", "standard deviation / mean"), ("unclustered", "share alone"))
    ):
        axes = canvas.axes(side * half + _LEFT, 0.1, half - _LEFT - 0.1 * (1 - side), _TALL)
        for number, name in enumerate(names):
            values = [
                getattr(row, field) for one in found for row in one.rows if row.method == name
            ]
            look = LOOKS[number % len(LOOKS)]
            axes.bar(
                number,
                float(np.mean(values)),
                0.6,
                color=look.fill,
                edgecolor=look.colour,
                hatch=look.hatch,
                linewidth=0.7,
            )
            axes.plot([number] * len(values), values, "o", color=INK, markersize=2)
        axes.set_xticks(range(len(names)))
        axes.set_xticklabels(names, rotation=25, ha="right", fontsize=6.5)
        axes.set_ylabel(label, color=INK)
        axes.grid(axis="y")
