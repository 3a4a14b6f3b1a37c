"""Common parts of bar charts of pairs of programs: bars, whiskers, labels and pages.

Labels are broken into lines that fit their slot, and pairs are spread over pages by chunk size, so
that nothing is cut off or overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jostle.plot.charts import ceiling, slug
from jostle.plot.figures import INK, SMALL, SOFT, label_lines, log_axis, value_axis
from jostle_lab.analysis.study.model import Cell, StudyResult
from jostle_lab.plot.study_charts import chunk_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches left and right of the axes.
LEFT, RIGHT = 0.84, 0.14
MOST = 12  # pairs on a page
LINE = 0.115  # inches of a line of labels
HEADROOM = 1.13  # share of a linear axis, for the numbers above the bars


def bars_axis(
    axes: Axes,
    values: Sequence[float],
    metric: str,
    labels: Sequence[str],
    slot: float,
    *,
    log: bool = False,
) -> None:
    """Scale the value axis, and name every group below it as far as its slot allows."""
    if log:
        log_axis(axes, values, metric)
    else:
        end = ceiling(max(values) * HEADROOM, metric if metric == "bytes" else "count")
        value_axis(axes, end, metric)
    axes.set_xlim(-0.55, len(labels) - 0.45)
    axes.set_xticks(range(len(labels)))
    names = [label_lines(label, slot) for label in labels]
    deepest = max(map(len, names))
    padded = ["\n".join(lines + [" "] * (deepest - len(lines))) for lines in names]
    axes.set_xticklabels(padded, fontsize=SMALL, color=INK, va="top", linespacing=1.1)
    axes.tick_params(axis="x", length=0)
    if not log:
        axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.spines["bottom"].set_visible(log)


def deepest(labels: Sequence[str], width: float) -> int:
    """Return the number of lines of the longest label on a page of `width` inches."""
    slot = (width - LEFT - RIGHT) / max(len(labels), 1)
    return max((len(label_lines(label, slot)) for label in labels), default=1)


def paged(chunks: Sequence[int | None]) -> list[tuple[list[int], str]]:
    """Spread rows over pages: one page if there are few, else one per chunk size.

    Args:
        chunks: The chunk size of every row.

    Returns:
        For each page the indices of its rows, and the suffix of its file's name.
    """
    every = list(range(len(chunks)))
    if len(chunks) <= MOST or len(set(chunks)) == 1:
        pages = [(every, "")]
    else:
        sizes = sorted(set(chunks), key=lambda chunk: -1 if chunk is None else chunk)
        pages = [
            ([place for place in every if chunks[place] == size], f"-{slug(chunk_label(size))}")
            for size in sizes
        ]
    return [
        (places[first : first + MOST], suffix + (f"-{first // MOST + 1}" if first else ""))
        for places, suffix in pages
        for first in range(0, len(places), MOST)
    ]


def pair_words(result: StudyResult, probe: str, signal: str, cell: Cell) -> str:
    """Return the label of a pair on an axis: the parts of its names that differ between pairs."""
    mine, theirs = cell.setting.processes
    if len(result.programs) > 1:
        words = [probe if probe == signal else f"{probe} + {signal}"]
    else:
        words = []
    sizes = {size for one in result.cells for size in one.setting.processes}
    if len(sizes) > 1:
        words.append(f"{mine} + {theirs}")
    if len({one.setting.chunk for one in result.cells}) > 1:
        words.append(chunk_label(cell.setting.chunk))
    if len({one.setting.shared for one in result.cells}) > 1:
        words.append("shared" if cell.setting.shared else "private")
    if len({one.setting.more for one in result.cells}) > 1:
        words += [f"{name} {value}" for name, value in cell.setting.more]
    return "\n".join(words) or f"{probe} + {signal}"
