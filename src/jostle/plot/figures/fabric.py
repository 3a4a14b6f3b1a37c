"""What the links of a fabric carried: its leaves or groups as a matrix, links by level, planes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import value_label
from jostle.plot.charts.study import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, RULE, Canvas, DrawnFigures, Page, Plan
from jostle.report.format.values import count, percent
from jostle.topology import LINK_KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.report.models.fabric_at import FabricAt
    from jostle.topology import Topology

Ints = NDArray[np.int64]

_SIDE = 2.9  # inches of the matrix
_CELL = 0.13  # inches of a link's cell, at most
_HEAD = 0.3  # inches of the words above a kind of links
_ACROSS = 3  # planes of a torus beside one another
_MOST_PLANES = 12
_MOST_NAMES = 24  # zones whose names are written
_LABEL = 6.5  # points
_WORDS = {"terminal": "node and switch", "up": "upwards", "down": "downwards",
          "dimension": "along a dimension", "local": "within a group",
          "global": "between groups", "other": "other"}  # fmt: skip


def plans(content: FabricAt) -> Iterator[Plan]:
    """Yield the figure of a fabric."""
    draw = partial(_planes if content.topology.sizes else _tree, content=content)
    yield _page(content), draw


def _rate(value: float) -> str:
    return value_label(value, "bytes", level=False)


def _page(content: FabricAt) -> Page:
    topology = content.topology
    whose = f"{content.job} puts" if content.job else "All jobs put"
    busiest = int(np.argmax(content.load)) if len(content.load) else -1
    title = f"{whose} nothing on the links of {topology.name}"
    if busiest >= 0 and content.load[busiest] > 0:
        rate = topology.rates[busiest] / 8
        part = f", {percent(content.load[busiest] / rate)} of its rate" if rate else ""
        title = f"{whose} {_rate(content.load[busiest])} on {topology.link_name(busiest)}{part}"
    note = "Dark: the most; roots of loads are drawn, so that small loads are seen. "
    if topology.sizes:
        names = topology.dimensions[:2]
        note += f"A line is a link, one each way; {names[0]} leads to the right"
        note += f", {names[1]} upwards." if len(names) > 1 else "."
        rest = int(np.prod(topology.sizes[2:]))
        if rest > _MOST_PLANES:
            note += f" The {_MOST_PLANES} planes with most traffic of {rest}."
        body = _planes_high(topology)
    else:
        word = "group" if topology.kind == "dragonfly" else "leaf"
        note += f"Left: what each {word} (row) sent to each (column). Right: a cell for each link, "
        note += "the busiest of a kind first."
        body = _SIDE + 0.45
    seconds = (content.end_ns - content.start_ns) / 1e9
    measured = int(content.is_measured.sum())
    how = "routed from who sent to whom"
    if measured:
        how = (
            f"{count(measured)} of {count(len(content.load))} links measured at their ports, {how}"
        )
    foot = f"Means over {seconds:.3g} s; {how}. {topology.kind}, {count(len(content.load))} links."
    stem = f"network-{slug(topology.name)}" + (f"-{slug(content.job)}" if content.job else "")
    return Page(stem, title, note, foot, _numbers(content), width=FULL, body=body)


def _numbers(content: FabricAt) -> DrawnFigures:
    topology = content.topology
    order = np.argsort(-content.load, kind="stable").tolist()
    return DrawnFigures(
        ("link", "bytes_per_s", "rate_bits_per_s", "busiest_job", "how"),
        tuple(
            (topology.link_name(link), float(content.load[link]),
             float(topology.rates[link]) or None, content.busiest[link],
             "measured" if content.is_measured[link] else "routed")
            for link in order
        ),
    )  # fmt: skip


def _ramp() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("load", ["#E6EEF4", "#7FB6D9", "#0B3F66"])


def _tree(canvas: Canvas, content: FabricAt) -> None:
    """Draw the matrix of zones, and the links kind by kind."""
    zones = content.zones
    names = zones.names if zones else ()
    left = 0.85
    axes = canvas.axes(left, 0.3, _SIDE, _SIDE)
    most = float(content.sent.max(initial=0.0))
    _cells(axes, np.sqrt(content.sent), np.sqrt(most), gap=len(names) <= _MOST_NAMES)
    every = max(-(-len(names) // _MOST_NAMES), 1)
    places = list(range(0, len(names), every))
    axes.set_yticks(places, [names[place] for place in places], fontsize=_LABEL)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_title(f"to, at most {_rate(most)}", fontsize=_LABEL + 0.5, color=SOFT, loc="left")
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
        text = f"{_WORDS[LINK_KINDS[kind]]}: {count(len(load))} links, at most {_rate(load[0])}"
        canvas.text(left, top - 0.06, text, fontsize=_LABEL + 0.5, color=INK)
        high = min(lines * cell, room)
        axes = canvas.axes(left, top, across * cell, high)
        _cells(axes, cells.reshape(lines, across), most, gap=cell > 0.05)
        axes.set_axis_off()
        top += high + _HEAD


def _cells(axes: Axes, values: NDArray[np.float64], most: float, *, gap: bool) -> None:
    """Draw values as cells, the first row on top."""
    look: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.8} if gap else {}
    axes.pcolormesh(
        np.arange(values.shape[1] + 1) - 0.5, np.arange(values.shape[0] + 1) - 0.5, values,
        cmap=_ramp(), vmin=0, vmax=most or 1.0, rasterized=not gap, **look,
    )  # fmt: skip
    axes.set_ylim(values.shape[0] - 0.5, -0.5)


def _planes_high(topology: Topology) -> float:
    planes = min(int(np.prod(topology.sizes[2:])), _MOST_PLANES)
    return -(-planes // _ACROSS) * _plane_high(topology) + 0.1


def _plane_high(topology: Topology) -> float:
    wide = (FULL - 0.3) / _ACROSS
    across, up = topology.sizes[0], topology.sizes[1] if len(topology.sizes) > 1 else 1
    return float(min(max(wide * (up + 1) / (across + 1), 0.6), 2.2)) + 0.25


def _planes(canvas: Canvas, content: FabricAt) -> None:
    """Draw the planes of the first two dimensions with their links."""
    topology = content.topology
    switch = np.flatnonzero(topology.is_switch)
    rest = topology.coordinates[:, 2:]
    planes = [np.array(place, np.int64)
              for place in itertools.product(*map(range, topology.sizes[2:]))]  # fmt: skip
    inner = np.flatnonzero((topology.link_dimensions >= 0) & (topology.link_dimensions < 2))

    def links_of(place: Ints) -> Ints:
        return np.asarray(inner[(rest[topology.sources[inner]] == place).all(axis=1)])

    planes.sort(key=lambda place: -float(content.load[links_of(place)].sum()))
    shown = sorted(planes[:_MOST_PLANES], key=lambda place: tuple(place.tolist()))
    wide, high = (canvas.width - 0.3) / _ACROSS, _plane_high(topology)
    for number, place in enumerate(shown):
        axes = canvas.axes(0.15 + number % _ACROSS * wide, number // _ACROSS * high + 0.2,
                           wide - 0.15, high - 0.25)  # fmt: skip
        inside = switch[(rest[switch] == place).all(axis=1)]
        _plane(axes, content, inside, links_of(place))
        named = [f"{name} {at}" for name, at in zip(topology.dimensions[2:], place, strict=True)]
        axes.set_title(", ".join(named), fontsize=_LABEL, color=SOFT, loc="left", pad=2)


def _plane(axes: Axes, content: FabricAt, switches: Ints, links: Ints) -> None:
    from matplotlib.collections import LineCollection

    topology = content.topology
    at = topology.coordinates[:, :2].astype(float)
    if at.shape[1] == 1:
        at = np.column_stack([at, np.zeros(len(at))])
    begin = at[topology.sources[links]]
    # Towards the next place, round the end too: there a link leads out of the picture.
    step = np.zeros_like(begin)
    dimension = topology.link_dimensions[links]
    step[np.arange(len(links)), dimension] = topology.link_signs[links]
    end = begin + step * np.where(np.abs(at[topology.targets[links]] - begin).max(axis=1) > 1,
                                  0.5, 1.0)[:, None]  # fmt: skip
    beside = np.column_stack([-step[:, 1], step[:, 0]]) * 0.06  # each way on its own side
    most = np.sqrt(content.load.max(initial=0.0)) or 1.0
    strength = np.sqrt(content.load[links]) / most
    order = np.argsort(strength)
    lines = np.stack([begin + beside, end + beside], axis=1)[order]
    axes.add_collection(
        LineCollection(list(lines), colors=_ramp()(strength[order]),
                       linewidths=0.6 + 2.4 * strength[order])
    )  # fmt: skip
    axes.plot(*at[switches].T, "s", markersize=4, zorder=3, color="#8C97A3", markeredgewidth=0)
    size = (*topology.sizes, 1)[:2]
    axes.set_xlim(-0.7, size[0] - 0.3)
    axes.set_ylim(-0.7, size[1] - 0.3)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(RULE)
