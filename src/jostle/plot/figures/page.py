"""The page of every figure: finding, explanation, drawing and source.

Sizes are those of print: a figure has the width of a page, or a little less, and is included
unscaled. Series differ by hue, hatch, marker and dash together, and are labelled in the drawing
where there is space, so that a reader does not depend on colour.
"""

from __future__ import annotations

import csv
import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

from jostle.errors import naming
from jostle.plot.charts.axis import value_label
from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.figure import INK, SOFT, STYLE
from jostle.plot.figures.files import save_figure
from jostle.values.plain_values import cell

matplotlib.use("Agg")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches: a figure with little content (titles still need space), and the whole width of a page.
NARROW, FULL = 6.0, 7.2
RULE = "#C5CDD5"
#: Names of commands may hold a dollar sign: no text is read as mathematics.
PAGE_STYLE: Any = STYLE | {
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 2.5,
    "hatch.linewidth": 0.7,
    "text.parse_math": False,
}
_LOG_TICKS = 6
_MARGIN, _TITLE, _NOTE, _FOOT = 0.12, 9.5, 7.5, 6.5  # inches, then points


@dataclass(frozen=True)
class Look:
    """The style of one series in all figures.

    Attributes:
        colour: Hue of its lines, edges and hatches.
        hatch: Pattern of its bars.
        marker: Mark of its points.
        dash: Style of its lines.
    """

    colour: str
    hatch: str
    marker: str
    dash: Any

    @property
    def fill(self) -> str:
        """The hue mixed with white, on which a hatch and text are readable in print."""
        parts = (int(self.colour[place : place + 2], 16) for place in (1, 3, 5))
        return "#" + "".join(f"{round(255 - 0.3 * (255 - part)):02X}" for part in parts)


_HATCHES = ("", "////", "xxxx", "||||", "----", "\\\\\\\\")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (5, 1.5, 1, 1.5)), "-", "--")
LOOKS = tuple(map(Look, PALETTE, _HATCHES, _MARKERS, _DASHES))
_KNOWN = ("open-write-close", "write-seek", "aggregate-write")


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the style of each name; the three write patterns have fixed styles."""
    wanted = list(dict.fromkeys(names))
    taken = {name: LOOKS[_KNOWN.index(name)] for name in wanted if name in _KNOWN}
    free = [look for look in LOOKS if look not in taken.values()] or list(LOOKS)
    others = [name for name in wanted if name not in taken]
    return taken | {name: free[number % len(free)] for number, name in enumerate(others)}


@dataclass(frozen=True)
class DrawnFigures:
    """The numbers behind a figure, as in its CSV file.

    Attributes:
        columns: Names of the columns, with their units.
        rows: One value per column; None and NaN become empty.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def write(self, path: Path) -> Path:
        """Write the CSV; numbers keep all their digits."""
        with naming(path), path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows([cell(value) for value in row] for row in self.rows)
        return path


@dataclass(frozen=True)
class Page:
    """One figure that is to be drawn: texts, size and numbers.

    Attributes:
        stem: Name of its files without the ending, which describes the figure.
        title: The finding in a sentence.
        note: Explanation of the figure: units, number of runs, meaning of the whiskers.
        foot: Source of the numbers.
        numbers: The drawn numbers as a table.
        width: Width, inches.
        body: Height below the texts, inches.
    """

    stem: str
    title: str
    note: str
    foot: str
    numbers: DrawnFigures
    width: float = FULL
    body: float = 2.4


@dataclass
class Canvas:
    """A page with its texts drawn, and space for axes.

    Attributes:
        figure: Matplotlib's figure.
        width: Width, inches.
        body: Height below the heading that axes may use, inches.
        height: Height of the whole page, inches.
        footer: Height of the footer, inches.
    """

    figure: Figure
    width: float
    body: float
    height: float
    footer: float
    drawn: list[Axes] = field(default_factory=list)

    def axes(self, left: float, top: float, width: float, height: float, **options: Any) -> Axes:
        """Add axes; `left` from the page's left edge, `top` from the top of the body, inches."""
        bottom = self.footer + self.body - top - height
        box = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        made = self.figure.add_axes(box, **options)
        self.drawn.append(made)
        return made

    def text(self, left: float, top: float, text: str, **options: Any) -> None:
        """Write a text at a position in inches from the left and from the top of the body."""
        place = (left / self.width, (self.footer + self.body - top) / self.height)
        self.figure.text(*place, text, **options)


def _blank(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def canvas(page: Page, blank: Callable[[float, float], Any] = _blank) -> Canvas:
    """Draw the heading and the footer, and make the page as high as they and the body need.

    Args:
        page: The figure that is to be drawn.
        blank: Function that creates an empty figure, or a part of one, of a width and a height in
            inches.
    """
    room = 0.97 * (page.width - 2 * _MARGIN)  # hinting makes small text a little wider
    title = wrapped(page.title, room, _TITLE, bold=True)
    note = wrapped(page.note, room, _NOTE) if page.note else []
    foot = wrapped(page.foot, room, _FOOT) if page.foot else []
    head = _MARGIN + len(title) * _line(_TITLE) + len(note) * _line(_NOTE) + 0.1
    footer = _MARGIN * 0.7 + len(foot) * _line(_FOOT)
    height = head + page.body + footer
    figure = blank(page.width, height)
    left = _MARGIN / page.width
    top = height - _MARGIN
    for lines, size, weight, colour in (
        (title, _TITLE, "bold", INK),
        (note, _NOTE, "normal", SOFT),
    ):
        for line in lines:
            figure.text(
                left, top / height, line, fontsize=size, fontweight=weight, color=colour, va="top"
            )
            top -= _line(size)
    for number, line in enumerate(reversed(foot)):
        low = _MARGIN * 0.5 + number * _line(_FOOT)
        figure.text(left, low / height, line, fontsize=_FOOT, color=SOFT, va="bottom")
    return Canvas(figure, page.width, page.body, height, footer)


def _line(points: float) -> float:
    return points * 1.32 / 72


@functools.lru_cache(maxsize=4096)
def text_width(text: str, points: float, *, bold: bool = False) -> float:
    """Return the width of a line of text, inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    face = FontProperties(
        family=STYLE["font.family"], size=points, weight="bold" if bold else "normal"
    )
    return float(text_to_path.get_text_width_height_descent(text, face, False)[0]) / 72


#: Percent: intervals of few runs are cut off here, the runs are not.
WIDEST = -10.0
#: A number and its unit are kept on one line.
_EQUALS = re.compile(r"\b([npqr]) = ")
_UNITS = re.compile(r"(\d) ((?:[KMGTP]iB|B)(?:/s)?\b|m?s\b|min\b|%)")


def wrapped(text: str, room: float, points: float, *, bold: bool = False) -> list[str]:
    """Break text into lines of at most `room` inches; a longer word has a line of its own."""
    lines: list[str] = []
    text = _EQUALS.sub("\\1\u00a0=\u00a0", text)
    for word in _UNITS.sub("\\1\u00a0\\2", text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, points, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def broken(name: str, room: float, points: float, *, bold: bool = False) -> list[str]:
    """Break a program's name into lines of at most `room` inches, at its hyphens too."""
    lines: list[str] = []
    for piece in name.replace("-", "- ").split():
        glue = "" if lines and lines[-1].endswith("-") else " "
        longer = f"{lines[-1]}{glue}{piece}" if lines else piece
        if lines and text_width(longer, points, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


#: An axis is logarithmic where the largest value is more than this many times the least.
_LINEAR = 100.0


def spans_decades(values: Iterable[float]) -> bool:
    """Return whether values above 0 span more than two decades: a linear axis hides small ones."""
    known = [value for value in values if value > 0 and math.isfinite(value)]
    return bool(known) and max(known) > _LINEAR * min(known)


def log_axis(axes: Axes, values: Iterable[float], unit: str) -> None:
    """Scale the value axis by powers around `values` above 0; unit "s" is plain seconds."""
    from matplotlib.ticker import NullFormatter, NullLocator

    known = [value for value in values if value > 0 and math.isfinite(value)]
    base = 2.0 if unit == "bytes" else 10.0
    low, high = math.log(min(known) / 1.6, base), math.log(max(known) * 2.2, base)
    step = next(s for s in (1, 2, 3, 5, 10, 20, 40, 80) if (high - low) / s <= _LOG_TICKS)
    first = math.ceil(low / step) * step
    ticks = [base**power for power in range(first, math.floor(high) + 1, step)]
    axes.set_yscale("log", base=base)
    axes.set_ylim(base**low, base**high)
    axes.set_yticks(ticks)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_yticklabels(
        [f"{tick:g} s" if unit == "s" else value_label(tick, unit, level=False) for tick in ticks]
    )
    axes.grid(axis="y")


def value_axis(axes: Axes, top: float, unit: str, steps: int = 4) -> None:
    """Scale the value axis from 0 to `top` and label round values; unit "s" is plain seconds."""
    chosen: list[str] = []
    for number in sorted((2, 3, 4, 5) if steps > 1 else (1,), key=lambda n: abs(n - steps)):
        ticks = [top * place / number for place in range(number + 1)]
        if unit == "s":
            labels = [f"{tick:g} s" if tick else "0" for tick in ticks]
        else:
            labels = [value_label(tick, unit, level=False) for tick in ticks]
        chosen = chosen or labels
        if not any("." in label for label in labels):
            chosen = labels
            break
    axes.set_ylim(0, top * 1.02)
    axes.set_yticks([top * place / (len(chosen) - 1) for place in range(len(chosen))])
    axes.set_yticklabels(chosen)
    axes.grid(axis="y")


def save(canvas: Canvas, page: Page, folder: Path, endings: Sequence[str]) -> tuple[Path, ...]:
    """Write the figure in every format and its numbers; return the files, the CSV last."""
    paths = []
    for ending in endings:
        path = folder / f"{page.stem}.{ending}"
        save_figure(canvas.figure, path, dpi=240)
        paths.append(path)
    return (*paths, page.numbers.write(folder / f"{page.stem}.csv"))


@dataclass(frozen=True)
class Saved:
    """A figure that was written.

    Attributes:
        title: Title of the figure.
        files: Paths of its pictures, and last of the table of its numbers.
    """

    title: str
    files: tuple[Path, ...]


#: A page, and the function that draws it.
Plan = tuple[Page, Callable[[Canvas], None]]


def _of_distinct_names(plans: Iterable[Plan]) -> list[Plan]:
    """Add a number to a stem that another figure has: different names may have one stem."""
    found: dict[str, Plan] = {}
    for page, draw in plans:
        stem, number = page.stem, 1
        while stem in found:
            number += 1
            stem = f"{page.stem}-{number}"
        found[stem] = replace(page, stem=stem), draw
    return list(found.values())


def draw_pages(
    plans: Iterable[Plan],
    folder: Path,
    endings: Sequence[str] = ("png",),
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Saved]:
    """Draw figures into a folder, each together with a CSV file of its numbers.

    Args:
        plans: The figures. If several have the same stem, a number is added to all but the first.
        folder: Folder of the files, which is created if it is missing.
        endings: Formats of the figures: png, svg, pdf.
        progress: Function that is called with figures done, number of figures, and the title of the
            next one.

    Returns:
        The figures that were written, in order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = _of_distinct_names(plans)
    saved = []
    for number, (page, draw) in enumerate(found):
        if progress:
            progress(number, len(found), page.stem)
        with matplotlib.rc_context(PAGE_STYLE):
            made = canvas(page)
            draw(made)
            saved.append(Saved(page.title, save(made, page, folder, endings)))
    return saved
