"""Writes a document as a PDF with pages of A4; text stays text, figures are vector drawings."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import matplotlib

from jostle.plot.document.document import (
    Block,
    Commands,
    Document,
    Facts,
    Grid,
    Picture,
    Section,
    Words,
    bar,
)
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, PAGE_STYLE, RULE, canvas, text_width, wrapped
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from matplotlib.figure import SubFigure

_WIDTH, _HEIGHT, _TOP, _BOTTOM = 8.27, 11.69, 0.6, 0.6  # inches
_LEFT, _FOOT_Y = (_WIDTH - FULL) / 2, _BOTTOM + 0.15
_TEXT, _SMALL = 9.0, 7.5  # points
_CELLS = (7.5, 6.8, 6.0)  # points: wide tables have smaller letters
_GAP = 0.14  # inches between columns
_BAR, _OWN = 0.8, "#0072B2"
_LIGHTS = {"green": "#00795A", "yellow": "#926400", "red": "#B3261E"}
_STYLE: Any = PAGE_STYLE | {"pdf.fonttype": 42}


def pdf(document: Document, progress: Callable[[int, str], None] = lambda *_: None) -> bytes:
    """Return the bytes of the PDF of a document.

    Args:
        document: Content of the file.
        progress: Function that is called with the number and the title of each figure before it is
            drawn.
    """
    from matplotlib.backends.backend_pdf import PdfPages

    file = io.BytesIO()
    about: Any = {"Title": one_line(document.title), "Creator": "jostle report"}
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a name may have letters of any script
        with PdfPages(file, metadata=about) as pages:
            _Flow(pages, one_line(document.title), progress).write(document)
    return file.getvalue()


def _line(points: float) -> float:
    return points * 1.4 / 72


class _Flow:
    """Fills pages from the top to the bottom."""

    def __init__(self, pages: Any, title: str, progress: Callable[[int, str], None]) -> None:
        self.pages, self.title, self.progress = pages, title, progress
        self.drawn = 0
        self.number = 0
        self.start()

    def start(self) -> None:
        """Begin a page."""
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(_WIDTH, _HEIGHT))
        self.y = _HEIGHT - _TOP
        self.empty = True

    def flush(self) -> None:
        """Write the page and begin the next."""
        if self.empty:
            return
        self.number += 1
        self.y = _BOTTOM
        self.text(f"{self.title} · page {self.number}", _LEFT, _SMALL, SOFT)
        self.pages.savefig(self.figure, facecolor="white")
        self.start()

    def need(self, height: float) -> None:
        """Begin a new page where the rest of this one is lower than `height` inches."""
        if self.y - height < _FOOT_Y:
            self.flush()

    def text(self, text: str, left: float, points: float, colour: str, **options: Any) -> None:
        """Write a line whose top is the current height."""
        self.empty = False
        place = (left / _WIDTH, self.y / _HEIGHT)
        self.figure.text(*place, text, fontsize=points, color=colour, va="top", **options)

    def box(self, left: float, width: float, height: float, colour: str, drop: float = 0.0) -> None:
        """Fill a rectangle `drop` inches below the current height."""
        from matplotlib.patches import Rectangle

        place = (left / _WIDTH, (self.y - drop - height) / _HEIGHT)
        self.figure.add_artist(
            Rectangle(
                place,
                width / _WIDTH,
                height / _HEIGHT,
                facecolor=colour,
                linewidth=0,
                transform=self.figure.transFigure,
            )
        )

    def write(self, document: Document) -> None:
        """Write all of a document."""
        self.text(f"{document.kind} report", _LEFT, _TEXT, SOFT)
        self.y -= _line(_TEXT)
        self.paragraph(one_line(document.name), 17, INK, bold=True)
        self.y -= 0.08
        if document.light:
            colour = _LIGHTS.get(document.light, SOFT)
            self.paragraph(f"● {document.light.capitalize()}", 12, colour, bold=True)
        if document.verdict:
            self.paragraph(one_line(document.verdict), 10, INK)
        for part in document.parts:
            self.need(0.6 + _height(part.sections[0].blocks if part.sections else ()))
            self.y -= 0.22
            self.paragraph(one_line(part.title), 13, INK, bold=True)
            for section in part.sections:
                self.heading(section)
                for block in section.blocks:
                    self.block(block)
        self.y -= 0.2
        self.paragraph(one_line(document.foot), _SMALL, SOFT)
        self.flush()

    def heading(self, section: Section) -> None:
        """Write the heading of a section, together with the beginning of what is below."""
        self.need(0.3 + _height(section.blocks))
        self.y -= 0.12
        if section.title:
            self.paragraph(one_line(section.title), 10, INK, bold=True)
        if section.note:
            self.paragraph(one_line(section.note), _SMALL, SOFT)

    def paragraph(self, text: str, points: float, colour: str, *, bold: bool = False) -> None:
        """Write a text, broken into lines."""
        for line in _fold(text, FULL, points, bold=bold):
            self.need(_line(points))
            self.text(line, _LEFT, points, colour, fontweight="bold" if bold else "normal")
            self.y -= _line(points)
        self.y -= 0.03

    def block(self, block: Block) -> None:
        """Write one block."""
        match block:
            case Words():
                lead = one_line(block.lead)
                self.paragraph(
                    " ".join(filter(None, (lead, one_line(block.text)))),
                    _TEXT,
                    INK,
                    bold=bool(lead) and not block.text,
                )
            case Commands():
                for line, shows in block.lines:
                    self.need(2 * _line(_TEXT) + 0.1)
                    self.paragraph(one_line(shows), _TEXT, INK)
                    self.command(one_line(line))
            case Facts():
                self.facts(block)
            case Grid():
                self.grid(block)
            case Picture():
                self.picture(block)

    def command(self, line: str) -> None:
        """Write a command line, which is not broken where it fits."""
        for part in _fold(line, FULL - 0.6, _TEXT):
            self.need(_line(_TEXT))
            self.text(part, _LEFT + 0.15, _SMALL, INK, family="DejaVu Sans Mono")
            self.y -= _line(_TEXT)
        self.y -= 0.05

    def facts(self, facts: Facts) -> None:
        """Write numbers side by side."""
        if not facts.pairs:
            return
        room = FULL / len(facts.pairs)
        folded = [_fold(one_line(remark), room - 0.1, _SMALL) for _, _, remark in facts.pairs]
        height = 0.5 + max(map(len, folded)) * _line(_SMALL)
        self.need(height)
        top = self.y = self.y - 0.05
        for place, ((name, value, _), remark) in enumerate(zip(facts.pairs, folded, strict=True)):
            left = _LEFT + place * room
            self.y = top
            self.text(one_line(name), left, _SMALL, SOFT)
            self.y -= _line(_SMALL)
            self.text(one_line(value), left, 11, INK, fontweight="bold")
            self.y -= _line(11)
            for line in remark:
                self.text(line, left, _SMALL, SOFT)
                self.y -= _line(_SMALL)
        self.y = top - height

    def grid(self, grid: Grid) -> None:
        """Write a table; a long one continues on the next page, with its header."""
        names = [one_line(name) for name, _ in grid.columns]
        rows = [[one_line(cell) for cell in row] for row in grid.rows]
        layout = _layout(names, rows, [right for _, right in grid.columns])
        self.need(4 * layout.line)
        self.row(names, layout, head=True)
        for row in rows:
            if self.y - layout.height(row) < _FOOT_Y:
                self.flush()
                self.row(names, layout, head=True)
            self.row(row, layout)
        self.y -= 0.08

    def row(self, row: Sequence[str], layout: _Layout, *, head: bool = False) -> None:
        """Write one row of a table and the rule below it."""
        top = self.y
        left = _LEFT
        for cell, width, right in zip(row, layout.widths, layout.right, strict=True):
            self.y = top
            filled = None if head else bar(cell)
            if filled is not None:
                self.box(left, _BAR, 0.08, "#E4E9EE", 0.025)
                self.box(left, _BAR * filled, 0.08, _OWN, 0.025)
            for line in layout.lines(cell, width, bold=head):
                at = left + width if right else left
                self.text(
                    line,
                    at,
                    layout.points,
                    SOFT if head else INK,
                    ha="right" if right else "left",
                    fontweight="bold" if head else "normal",
                )
                self.y -= layout.line
            left += width + _GAP
        self.y = top - layout.height(row, bold=head) + 0.035
        self.box(_LEFT, left - _GAP - _LEFT, 0.007, RULE)
        self.y -= 0.035

    def picture(self, picture: Picture) -> None:
        """Draw a figure with its texts."""
        self.progress(self.drawn, picture.page.title)
        self.drawn += 1
        picture.draw(canvas(replace(picture.page, title=one_line(picture.page.title)), self.part))

    def part(self, width: float, height: float) -> SubFigure:
        """Return a part of the page that is as large as a figure, below the content so far."""
        from matplotlib.gridspec import GridSpec

        self.need(height)
        self.empty = False
        left, above = _LEFT, _HEIGHT - self.y
        grid = GridSpec(
            3,
            3,
            self.figure,
            width_ratios=[left, width, _WIDTH - left - width],
            height_ratios=[above, height, _HEIGHT - above - height],
        )
        self.y -= height + 0.1
        return self.figure.add_subfigure(grid[1, 1], facecolor="none")


def _height(blocks: Sequence[Block]) -> float:
    """Return the approximate inches that must follow a heading on its page."""
    first = blocks[0] if blocks else None
    return first.page.body + 1.1 if isinstance(first, Picture) else 0.6


def _fold(text: str, room: float, points: float, *, bold: bool = False) -> list[str]:
    """Break a text into lines of at most `room` inches, and split words that are longer."""
    lines: list[str] = []
    for line in wrapped(text, room, points, bold=bold):
        rest = line
        while text_width(rest, points, bold=bold) > room and len(rest) > 1:
            keep = max(1, int(len(rest) * room / text_width(rest, points, bold=bold)))
            while keep > 1 and text_width(rest[:keep], points, bold=bold) > room:
                keep -= 1
            lines.append(rest[:keep])
            rest = rest[keep:]
        lines.append(rest)
    return lines


@dataclass(frozen=True)
class _Layout:
    """Layout of a table: letters in points, widths in inches, and which columns end right."""

    points: float
    widths: Sequence[float]
    right: Sequence[bool]

    @property
    def line(self) -> float:
        """Height of a line, inches."""
        return _line(self.points)

    def lines(self, cell: str, width: float, *, bold: bool = False) -> list[str]:
        """Return the lines of a cell; an empty line for a bar."""
        return [""] if bar(cell) is not None else _fold(cell, width + 0.01, self.points, bold=bold)

    def height(self, row: Sequence[str], *, bold: bool = False) -> float:
        """Return the height of a row, inches."""
        cells = zip(row, self.widths, strict=True)
        return max(len(self.lines(*each, bold=bold)) for each in cells) * self.line + 0.035


def _layout(names: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> _Layout:
    """Lay out a table so that it fits the width of the page.

    Columns are as wide as needed. If the table is too wide, the widest columns are narrowed, and if
    that does not suffice, letters are smaller. No column becomes narrower than its longest word, if
    the page permits.
    """
    columns = [[name, *(row[place] for row in rows)] for place, name in enumerate(names)]
    room = FULL - _GAP * (len(names) - 1)
    for points in _CELLS:
        whole = [
            max(_inches(cell, points, bold=not at) for at, cell in enumerate(column))
            for column in columns
        ]
        words = [
            max(
                _inches(word, points, bold=not at)
                for at, cell in enumerate(column)
                for word in wrapped(cell, 0.0, points)
            )
            for column in columns
        ]
        for least in (words, [0.3] * len(names)) if points == _CELLS[-1] else (words,):
            widths = _narrowed(whole, least, room)
            if sum(widths) <= room:
                return _Layout(points, widths, right)
    return _Layout(_CELLS[-1], [room / len(names)] * len(names), right)


def _narrowed(whole: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Narrow the widest columns until all fit, none below its least width."""
    cap = max(whole, default=0.0)
    widths = list(whole)
    while sum(widths) > room and cap > 0.3:
        cap *= 0.95
        widths = [min(wide, max(cap, low)) for wide, low in zip(whole, least, strict=True)]
    return widths


def _inches(cell: str, points: float, *, bold: bool) -> float:
    return _BAR if bar(cell) is not None else text_width(cell, points, bold=bold)
