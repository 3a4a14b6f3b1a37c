"""Parts of bar charts: bars, whiskers, labels below groups, legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jostle.plot.figures.figure import INK
from jostle.plot.figures.page import Canvas, Look, broken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points of small text.
SMALL = 6.5


def bar(
    axes: Axes, where: float, height: float, wide: float, look: Look, *, log: bool = False
) -> None:
    """Draw one bar in a style; on a logarithmic axis, where lengths mean nothing, a mark."""
    if log:
        axes.plot(
            [where],
            [height],
            look.marker,
            markersize=5,
            markerfacecolor=look.fill,
            markeredgecolor=look.colour,
            markeredgewidth=0.9,
        )
        return
    axes.bar(
        where,
        height,
        width=wide,
        facecolor=look.fill,
        edgecolor=look.colour,
        hatch=look.hatch,
        linewidth=0.8,
    )


def whisker(axes: Axes, where: float, low: float, high: float, half: float) -> None:
    """Draw a whisker with caps."""
    axes.plot([where, where], [low, high], color=INK, linewidth=0.8, solid_capstyle="butt")
    for end in (low, high):
        axes.plot([where - half, where + half], [end, end], color=INK, linewidth=0.8)


def label_lines(label: str, slot: float) -> list[str]:
    """Break each line of a group's label at the width of its slot."""
    return [
        line for part in label.split("\n") for line in broken(part, max(slot - 0.05, 0.4), SMALL)
    ]


def legend(
    canvas: Canvas,
    entries: Sequence[tuple[str, Look]],
    extra: Sequence[Any] = (),
    *,
    log: bool = False,
) -> None:
    """Draw a legend above the axes: bars (marks if all axes are logarithmic), further marks."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=look.marker,
            markersize=5,
            markerfacecolor=look.fill,
            markeredgecolor=look.colour,
            label=label,
        )
        if log
        else Patch(
            facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, linewidth=0.8, label=label
        )
        for label, look in entries
    ]
    top = canvas.footer + canvas.body - 0.1
    canvas.figure.legend(
        handles=[*handles, *extra],
        loc="center left",
        ncols=len(handles) + len(extra),
        bbox_to_anchor=(0.12 / canvas.width, top / canvas.height),
        fontsize=7.5,
        borderaxespad=0,
        handlelength=2.0,
        handleheight=1.0,
        columnspacing=1.2,
        labelcolor=INK,
    )
