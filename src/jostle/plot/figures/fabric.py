"""Figures of the loads of a fabric's links: a matrix of leaves or groups, and links by level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.errors import UsageError
from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.load_ramp import LABEL, ramp, rate_words
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan
from jostle.plot.figures.torus import torus_plans
from jostle.plot.figures.torus_layout import MOST_DIMENSIONS, is_drawable
from jostle.plot.figures.wired import draw_wired, high, is_small_tree
from jostle.report.format.values import count, percent
from jostle.topology import LINK_KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.report.models.machines.fabric_at import FabricAt

_SIDE = 2.9  # inches of the matrix
_CELL = 0.13  # inches of a link's cell, at most
_HEAD = 0.3  # inches of the text above a kind of links
_MOST_NAMES = 24  # zones whose names are written
_WORDS = {
    "terminal": "node and switch",
    "up": "upwards",
    "down": "downwards",
    "dimension": "along a dimension",
    "local": "within a group",
    "global": "between groups",
    "other": "other",
}
_WIRED = (
    "Switches above the nodes; a node has the colour of its job, whose name is below it. Each "
    "direction of a cable has its own line, on its right-hand side."
)


def plans(content: FabricAt, order: str = "", plane: str = "") -> Iterator[Plan]:
    """Yield the figures of a fabric.

    Args:
        content: The fabric and the loads of its links.
        order: Order of a torus's dimensions, the two of the planes first: `b,c,a,d,e`.
        plane: Plane of a torus for the polygons: `a0,d0,e0`.

    Raises:
        UsageError: The fabric has no such order or plane.
    """
    if is_drawable(content.topology):
        texts = _stem(content), _foot(content)
        yield from torus_plans(content, texts, link_numbers(content), order, plane)
        return
    if order or plane:
        many = f"has more than {MOST_DIMENSIONS} dimensions, or is too large for planes"
        why = many if content.topology.sizes else f"is a {content.topology.kind}: it has no planes"
        raise UsageError(
            f"`{content.topology.name}` {why}.", hint="Leave out `--order` and `--plane`."
        )
    page = _page(content)
    yield page, partial(_tree, content=content)
    if is_small_tree(content.topology):
        wired = replace(page, stem=f"{page.stem}-wired", note=_WIRED, body=high(content))
        yield wired, partial(draw_wired, content=content)


def _page(content: FabricAt) -> Page:
    topology = content.topology
    whose = f"{content.job} puts" if content.job else "All jobs put"
    busiest = int(np.argmax(content.load)) if len(content.load) else -1
    title = f"{whose} nothing on the links of {topology.name}"
    if busiest >= 0 and content.load[busiest] > 0:
        rate = topology.rates[busiest] / 8
        part = f", {percent(content.load[busiest] / rate)} of its rate" if rate else ""
        title = (
            f"{whose} {rate_words(content.load[busiest])} on {topology.link_name(busiest)}{part}"
        )
    note = "Dark: the greatest load, on a square-root scale, so that small loads are visible. "
    if content.zones:
        word = "group" if topology.kind == "dragonfly" else "leaf"
        note += f"Left: what each {word} (row) sent to each (column). Right: a cell for each link, "
    else:
        note += "A cell for each link, "
    note += "the busiest of a kind first."
    return Page(
        _stem(content),
        title,
        note,
        _foot(content),
        link_numbers(content),
        width=FULL,
        body=_SIDE + 0.45,
    )


def _stem(content: FabricAt) -> str:
    job = f"-{slug(content.job)}" if content.job else ""
    return f"network-{slug(content.topology.name)}{job}"


def _foot(content: FabricAt) -> str:
    topology = content.topology
    seconds = (content.end_ns - content.start_ns) / 1e9
    measured = int(content.is_measured.sum())
    how = "routed from who sent to whom"
    if measured:
        how = (
            f"{count(measured)} of {count(len(content.load))} links measured at their ports, {how}"
        )
    links = count(len(content.load))
    return f"Means over {seconds:.3g} s; {how}. {topology.kind}, {links} links."


def link_numbers(content: FabricAt) -> DrawnFigures:
    """Return the links, the busiest first."""
    topology = content.topology
    order = np.argsort(-content.load, kind="stable").tolist()
    return DrawnFigures(
        ("link", "bytes_per_s", "rate_bits_per_s", "busiest_job", "how"),
        tuple(
            (
                topology.link_name(link),
                float(content.load[link]),
                float(topology.rates[link]) or None,
                content.busiest[link],
                "measured" if content.is_measured[link] else "routed",
            )
            for link in order
        ),
    )


def _tree(canvas: Canvas, content: FabricAt) -> None:
    """Draw the matrix of zones, and the links kind by kind."""
    if content.zones is None:
        _kinds(canvas, content, 0.2)
        return
    names = content.zones.names
    left = 0.85
    axes = canvas.axes(left, 0.3, _SIDE, _SIDE)
    most = float(content.sent.max(initial=0.0))
    _cells(axes, np.sqrt(content.sent), np.sqrt(most), gap=len(names) <= _MOST_NAMES)
    every = max(-(-len(names) // _MOST_NAMES), 1)
    places = list(range(0, len(names), every))
    axes.set_yticks(places, [names[place] for place in places], fontsize=LABEL)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_title(f"to, at most {rate_words(most)}", fontsize=LABEL + 0.5, color=SOFT, loc="left")
    _kinds(canvas, content, left + _SIDE + 0.35)


def _kinds(canvas: Canvas, content: FabricAt, left: float) -> None:
    """Draw a cell for each link, row by row for each kind, the busiest first."""
    topology = content.topology
    wide = canvas.width - left - 0.2
    kinds = [kind for kind in range(len(LINK_KINDS)) if (topology.link_kinds == kind).any()]
    room = (_SIDE + 0.3) / max(len(kinds), 1) - _HEAD
    most = np.sqrt(content.load.max(initial=0.0))
    top = _HEAD
    for kind in kinds:
        load = np.sort(content.load[topology.link_kinds == kind])[::-1]
        cell = min(_CELL, np.sqrt(wide * room / len(load)))
        across = max(min(int(wide / cell), len(load)), 1)
        lines = -(-len(load) // across)
        cells = np.full(across * lines, np.nan)
        cells[: len(load)] = np.sqrt(load)
        text = (
            f"{_WORDS[LINK_KINDS[kind]]}: {count(len(load))} links, at most {rate_words(load[0])}"
        )
        canvas.text(left, top - 0.06, text, fontsize=LABEL + 0.5, color=INK)
        high = min(lines * cell, room)
        axes = canvas.axes(left, top, across * cell, high)
        _cells(axes, cells.reshape(lines, across), most, gap=cell > 0.05)
        axes.set_axis_off()
        top += high + _HEAD


def _cells(axes: Axes, values: NDArray[np.float64], most: float, *, gap: bool) -> None:
    """Draw values as cells, the first row on top."""
    look: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.8} if gap else {}
    axes.pcolormesh(
        np.arange(values.shape[1] + 1) - 0.5,
        np.arange(values.shape[0] + 1) - 0.5,
        values,
        cmap=ramp(),
        vmin=0,
        vmax=most or 1.0,
        rasterized=not gap,
        **look,
    )
    axes.set_ylim(values.shape[0] - 0.5, -0.5)
