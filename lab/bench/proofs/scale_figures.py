#!/usr/bin/env python3
"""Draws the results of `python -m jostle_lab.validation.scale --json FILE`.

lab/bench/proofs/scale_figures.py day.json DAY.svg
lab/bench/proofs/scale_figures.py growth.json GROWTH.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src")]

from jostle.plot.charts.chart import PALETTE  # noqa: E402
from jostle.plot.figures.figure import SOFT, written  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Panels of a day: title, unit's factor, and samples with their labels.
_PANELS = (
    ("Lag of the repository, s of this machine", 1.0, {"lag_s": "behind the mirrors"}),
    ("Posts per second", 1.0, {"posts": ""}),
    (
        "Memory, MiB",
        1.0,
        {"receivers_mib": "receiver", "ingesters_mib": "ingester", "pages_mib": "pages"},
    ),
    ("Mirrors, MB", 1e-6, {"mirror_bytes": ""}),
    ("Files of the repository", 1.0, {"files": "data", "log_files": "log"}),
    ("Log, kB", 1e-3, {"log_bytes": ""}),
)
_MARKED = (
    "receiver down",
    "receiver up",
    "all down",
    "all up",
    "node down",
    "ingester killed",
    "compaction killed",
)
_SHARES = (
    "ingest_us",
    "bytes_per_slice",
    "log_bytes_per_day",
    "open_ms",
    "background_ms",
    "jobs_ms",
    "job_ms",
    "page_background_ms",
    "matrix_s",
)
_WIDE, _HIGH = 9.6, 1.35  # inches


def draw_day(found: dict[str, Any]) -> Figure:
    """Draw a day: one panel for each time series, and one for the pages."""
    from matplotlib.figure import Figure

    panels = len(_PANELS) + 1
    figure = Figure(figsize=(_WIDE, _HIGH * panels + 0.9), layout="constrained")
    every = figure.subplots(panels, 1, sharex=True)
    samples = found["samples"]
    for axes, (title, factor, names) in zip(every, _PANELS, strict=False):
        for colour, (name, label) in zip(PALETTE, names.items(), strict=False):
            values = [factor * value for value in samples[name]]
            if name == "posts":
                values = _rates(samples["at"], values)
            axes.plot(samples["at"], values, color=colour, lw=1.2, label=label)
        _finish(axes, title, legend=len(names) > 1)
    for colour, (kind, asked) in zip(PALETTE, found["pages"].items(), strict=False):
        at, took = zip(*asked, strict=True)
        every[-1].plot(at, took, ".", ms=2, color=colour, label=kind)
    every[-1].set_yscale("log")
    _finish(every[-1], "Latency of pages, ms", legend=True)
    for at, kind in found["happened"]:
        if kind in _MARKED:
            for axes in every:
                axes.axvline(at, color=SOFT, lw=0.6, ls=":")
            every[0].annotate(
                kind,
                (at, 1.0),
                (2, -2),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                fontsize=5.5,
                color=SOFT,
                rotation=90,
                va="top",
            )
    every[-1].set_xlabel("seconds of this machine")
    spec, truth = found["spec"], found["truth"]
    figure.suptitle(
        f"{spec['nodes']} nodes, {spec['minutes']:g} simulated minutes at {spec['speed']:g}:1: "
        f"{truth['slices']:,} process-slices, {truth['lost']} lost, {truth['doubled']} doubled",
        x=0.01,
        ha="left",
        fontweight="bold",
        fontsize=11,
    )
    return figure


def draw_growth(found: dict[str, Any]) -> Figure:
    """Draw each measure over the age, as a share of that of the youngest repository."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDE, 6.4), layout="constrained")
    sizes = sorted({each["nodes"] for each in found["measured"]})
    for axes, name in zip(figure.subplots(3, 3, sharex=True).flat, _SHARES, strict=True):
        for colour, nodes in zip(PALETTE, sizes, strict=False):
            mine = [each for each in found["measured"] if each["nodes"] == nodes]
            first = mine[0]["values"][name]
            axes.plot(
                [each["days"] for each in mine],
                [each["values"][name] / first for each in mine],
                "o-",
                ms=3,
                lw=1.2,
                color=colour,
                label=f"{nodes} nodes",
            )
        growth = found["growth"][name]
        axes.set_ylim(0, max(2.0, axes.get_ylim()[1]))
        slope = "{per_day:+.2f} % a day ({low:+.2f} to {high:+.2f})".format(**growth)
        _finish(axes, f"{name}: {slope}", legend=name == _SHARES[0])
    figure.supxlabel("days", fontsize=9)
    figure.suptitle(
        "Share of the value in the youngest repository",
        x=0.01,
        ha="left",
        fontweight="bold",
        fontsize=11,
    )
    return figure


def _rates(at: list[float], counts: list[float]) -> list[float]:
    steps = zip(at, at[1:], counts, counts[1:], strict=False)
    rates = [max(after - before, 0.0) / (end - begin) for begin, end, before, after in steps]
    return [0.0, *rates]


def _finish(axes: Axes, title: str, *, legend: bool) -> None:
    axes.set_title(title, loc="left", fontsize=7, color=SOFT)
    axes.grid(axis="y")
    if legend:
        axes.legend(loc="upper right", fontsize=6.5, ncols=4)


def main() -> None:
    """Draw the file of the first argument into that of the second."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    found = json.loads(source.read_text())
    draw = draw_growth if "growth" in found else draw_day
    print(written(lambda: draw(found), target))


if __name__ == "__main__":
    main()
