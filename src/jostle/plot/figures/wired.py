"""Figure of the wiring of a small tree, with line widths by load, and the jobs on the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.load_ramp import KEY, LABEL, draw_lines, key
from jostle.plot.figures.page import FULL, Canvas, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.report.models.machines.fabric_at import FabricAt
    from jostle.topology import Topology

Floats = NDArray[np.float64]

MOST_NODES = 32  # the names of more are not legible
_WIDE = FULL - 0.24  # inches
_RISE = 0.85  # inches from level to level
_APART = 0.045  # inches from the middle of a cable to each of its two directions
_NODE = 0.15  # inches
_THICK = 5.0  # points
_LETTERS = 22  # of a name


def is_small_tree(topology: Topology) -> bool:
    """Return whether a fabric has levels, and few enough nodes to draw its wiring."""
    nodes = int((~topology.is_switch).sum())
    levels = topology.levels
    is_few = topology.kind in ("tree", "fat tree") and 0 < nodes <= MOST_NODES
    return is_few and bool((levels >= 0).all() and ((levels == 0) == ~topology.is_switch).all())


def places_of(topology: Topology) -> Floats:
    """Return the position of each vertex, inches from the left and from the top: (vertices, 2).

    Nodes are in a row below their leaf, with half a node's width more between leaves; a switch is
    above the middle of the vertices below it.
    """
    levels, top = topology.levels, int(topology.levels.max())
    nodes = np.flatnonzero(~topology.is_switch)
    leaf = topology.switch_of
    nodes = nodes[np.lexsort((nodes, leaf[nodes]))]
    gaps = np.concatenate([[0], np.cumsum(np.diff(leaf[nodes]) != 0)])
    x = np.zeros(len(levels))
    x[nodes] = np.arange(len(nodes)) + 0.5 + 0.5 * gaps
    x *= _WIDE / (len(nodes) + 0.5 * gaps[-1])
    is_up = levels[topology.sources] < levels[topology.targets]
    for level in range(1, top + 1):
        here = np.flatnonzero(levels == level)
        for switch in here.tolist():
            below = x[topology.sources[is_up & (topology.targets == switch)]]
            x[switch] = below.mean() if len(below) else _WIDE / 2
        # Switches above the same vertices would overlap: they share the width.
        if len(np.unique(x[here].round(2))) < len(here):
            x[here] = _WIDE * (np.arange(len(here)) + 0.5) / len(here)
    return np.column_stack([x, 0.2 + _RISE * (top - levels)])


def high(content: FabricAt) -> float:
    """Return the height of the figure, inches."""
    top = int(content.topology.levels.max())
    return KEY + 0.3 + _RISE * top + _NODE + _names_high(content)


def draw_wired(canvas: Canvas, content: FabricAt) -> None:
    """Draw the wiring of a small tree."""
    topology, load = content.topology, content.load
    most = float(load.max(initial=0.0))
    key(canvas, 0.12, 0.0, most, _THICK)
    axes = canvas.axes(0.12, KEY, _WIDE, canvas.body - KEY)
    axes.set_axis_off()
    axes.set_xlim(0, _WIDE)
    axes.set_ylim(canvas.body - KEY, 0)
    places = places_of(topology)
    begin, end = places[topology.sources], places[topology.targets]
    along = end - begin
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    right = np.column_stack([-along[:, 1], along[:, 0]]) * _APART
    draw_lines(axes, np.hstack([begin + right, end + right]), load, most, _THICK)
    _switches(axes, topology, places)
    _nodes(axes, content, places)


def _switches(axes: Axes, topology: Topology, places: Floats) -> None:
    for level in range(1, int(topology.levels.max()) + 1):
        here = np.flatnonzero(topology.levels == level)
        names = [_shown(topology.vertices[switch]) for switch in here.tolist()]
        widest = max((text_width(name, LABEL) for name in names), default=0.0)
        apart = np.diff(np.sort(places[here, 0])).min(initial=_WIDE)
        is_dense = widest + 0.16 > apart
        for switch, name in zip(here.tolist(), names, strict=True):
            x, y = map(float, places[switch])
            axes.text(
                x,
                y,
                name,
                fontsize=LABEL,
                color=INK,
                ha="center",
                va="center",
                zorder=4,
                rotation=90 if is_dense else 0,
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": "white",
                    "edgecolor": SOFT,
                    "linewidth": 0.8,
                },
            )


def _nodes(axes: Axes, content: FabricAt, places: Floats) -> None:
    """Draw the nodes in the colours of their jobs, their names and the jobs' below."""
    from matplotlib.patches import Rectangle

    jobs = list(dict.fromkeys(job for each in content.placed.values() for job in each))
    colours = dict(zip(jobs, PALETTE, strict=False))
    is_dense = _is_dense(content)
    for node in np.flatnonzero(~content.topology.is_switch).tolist():
        x, y = map(float, places[node])
        there = content.placed.get(content.topology.hosts[node], ())
        fill = colours.get(there[0], SOFT) if there else "white"
        axes.add_patch(
            Rectangle(
                (x - _NODE / 2, y - _NODE / 2),
                _NODE,
                _NODE,
                facecolor=fill,
                edgecolor=SOFT,
                linewidth=0.8,
                zorder=4,
            )
        )
        name, job = _words(content, node)
        below = y + _NODE / 2 + 0.05
        if is_dense:
            axes.text(
                x,
                below,
                f"{name}  {job}".strip(),
                fontsize=LABEL,
                color=INK,
                rotation=90,
                ha="center",
                va="top",
            )
        else:
            axes.text(x, below, name, fontsize=LABEL, color=INK, ha="center", va="top")
            axes.text(x, below + 0.13, job, fontsize=LABEL, color=SOFT, ha="center", va="top")


def _words(content: FabricAt, node: int) -> tuple[str, str]:
    """Return the name of a node and of the jobs on it."""
    jobs = content.placed.get(content.topology.hosts[node], ())
    more = f" +{len(jobs) - 1}" if len(jobs) > 1 else ""
    job = f"{_shown(jobs[0])}{more}" if jobs else ""
    return _shown(content.topology.vertices[node]), job


def _shown(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"


def _is_dense(content: FabricAt) -> bool:
    places = places_of(content.topology)[~content.topology.is_switch, 0]
    nodes = np.flatnonzero(~content.topology.is_switch).tolist()
    widest = max(text_width(word, LABEL) for node in nodes for word in _words(content, node))
    return bool(widest + 0.08 > np.diff(np.sort(places)).min(initial=_WIDE))


def _names_high(content: FabricAt) -> float:
    if not _is_dense(content):
        return 0.35
    nodes = np.flatnonzero(~content.topology.is_switch).tolist()
    texts = ["  ".join(_words(content, node)) for node in nodes]
    return max(text_width(text, LABEL) for text in texts) + 0.15
