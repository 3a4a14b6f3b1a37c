"""Prints the output of all verbs: tables for users, JSON for programs, suggested next commands."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO

import click

from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

#: Whether views write for a document: any width, all letters.
_paper: ContextVar[bool] = ContextVar("paper", default=False)
#: Most rows of a table that is transposed; a longer one becomes paragraphs.
_MOST_TURNED = 6
#: Replacement of a blank at which no line is broken, such as that between a number and its unit.
_BOUND = "\ue000"
_BREAK = re.compile(
    r"(?<=\d) (?=(?:%|[nµm]?s|[KMGTP]?i?B|B/s|[KMGTP]iB/s|min|h)(?:[\W]|$))"
    r"|(?<=[pnq]) (?==)|(?<=[pnq] =) (?=\d)"
)
#: Least width to which a column of texts is wrapped.
_LONGEST_WORD = 24
_ANSI = {"red": "\033[31m", "bold": "\033[1m", "dim": "\033[2m", "reset": "\033[0m"}


def has_colour(stream: TextIO) -> bool:
    """Return whether escape sequences may go to `stream` (a terminal, and no NO_COLOR)."""
    if os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def stderr_style(name: str) -> str:
    """Return the escape sequence of a style for stderr; empty if colour is not wanted."""
    return _ANSI[name] if has_colour(sys.stderr) else ""


def utf8(stream: TextIO | None = None) -> bool:
    """Return whether `stream` (stdout, or a document) supports block characters."""
    if stream is None and _paper.get():
        return True
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "") == "utf8"


@functools.cache
def console(*, err: bool = False) -> Console:
    """Return the console for stdout (or stderr). A pipe gets whole lines and no colour."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    # A pipe has no width: rich would fold at 80 columns, which would split words for programs.
    width = None if stream.isatty() or "COLUMNS" in os.environ else 200
    if has_colour(stream):
        return Console(file=stream, width=width, highlight=False, markup=False)
    return Console(file=stream, width=width, highlight=False, markup=False, color_system=None)


def table(columns: Sequence[str]) -> Table:
    """Return an empty table; column `>name` is right-aligned, `=name` is never folded."""
    from rich import box
    from rich.table import Table

    frame = Table(
        box=box.SIMPLE_HEAD if utf8() else box.ASCII2,
        pad_edge=False,
        show_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    for name in columns:
        if name.startswith(">"):
            frame.add_column(name[1:], justify="right", no_wrap=True, overflow="fold")
        else:
            frame.add_column(name.lstrip("="), no_wrap=name.startswith("="), overflow="fold")
    return frame


def _natural_width(frame: Table) -> int:
    """Return the columns that a table needs so that nothing is folded or cut."""
    from rich.measure import Measurement

    target = console()
    free = target.options.update(max_width=10_000)
    return Measurement.get(target, free, frame).maximum


def fit(frame: Table, *optional: str) -> Table:
    """Leave out optional columns, in this order, until the table fits the terminal.

    A column that names the rows is never optional: `show` transposes a table that is still too
    wide.
    """
    if _paper.get():
        return frame
    for name in optional:
        if _natural_width(frame) <= console().width:
            break
        without(frame, [column for column in frame.columns if column.header == name])
    return frame


def fit_around(frames: Sequence[Table], optional: Sequence[str]) -> Table:
    """Return the first table that fits the terminal; if none fits, drop columns of the last one.

    Args:
        frames: Versions of the same table, each narrower than the one before.
        optional: Beginnings of the names of columns that may be left out, in this order.
    """
    for frame in frames:
        if _paper.get() or _natural_width(frame) <= console().width:
            return frame
    headers = [str(column.header) for column in frames[-1].columns]
    left_out = (header for name in optional for header in headers if header.startswith(name))
    return fit(frames[-1], *left_out)


def path_end(path: str, others: int) -> str:
    """Shorten a path to its end, so that `others` columns of the line stay free.

    In a document, the whole path is returned.
    """
    room = max(console().width - others, 24)
    return path if _paper.get() or len(path) <= room else f"…{path[1 - room :]}"


def heading(bold: str, rest: str = "") -> Text:
    """Return a line that begins bold; markup characters in names have no effect."""
    from rich.text import Text

    return Text.assemble((bold, "bold"), rest)


def light_of(light: str | None, style: str = "") -> Text:
    """Return a traffic light for a terminal: a word, a full or hollow dot, a colour."""
    from rich.text import Text

    dot = ("● " if light else "○ ") if utf8() else ""
    return Text(f"{dot}{light or 'undecided'}", style=f"{style}{light or 'default'}")


def pasted(command: str) -> Text:
    """Return a line that is never wrapped, since users paste it."""
    from rich.text import Text

    return Text(command, no_wrap=True)


def show(*things: Any, err: bool = False) -> None:
    """Print texts or tables to stdout (or stderr), without blanks at the ends of lines.

    Without things nothing is printed, not even an empty line.
    """
    if not things:
        return
    target = console(err=err)
    width = target.width
    stream = sys.stderr if err else sys.stdout
    fixed = stream.isatty() or "COLUMNS" in os.environ
    with target.capture() as captured:
        for thing in things:
            for part in narrowed(thing, width) if fixed and not _paper.get() else [thing]:
                if _is_table(part) and _least_width(part) > width:
                    # A pipe: a long line is better than a split number.
                    target.width = _natural_width(part)
                target.print(part, soft_wrap=not _is_table(part))
                target.width = width
    text = "\n".join(line.rstrip() for line in captured.get().split("\n")[:-1])
    if not utf8(sys.stderr if err else sys.stdout):
        text = text.replace("µ", "u").encode("ascii", "replace").decode()
    click.echo(text, err=err)


def _is_table(thing: object) -> bool:
    return hasattr(thing, "columns")


def narrowed(thing: Any, width: int) -> list[Any]:
    """Fit a text or a table into a width.

    A text is broken into lines. For a table, these steps are taken until it fits: its columns of
    bars are left out, the names of columns and rows are wrapped, and the table is transposed. If
    that does not suffice, each row becomes a paragraph: its name, and below it the values with the
    names of their columns.
    """
    from rich.text import Text

    if not _is_table(thing):
        text = thing if isinstance(thing, Text) else Text(str(thing))
        if text.no_wrap:
            return [text]
        return [
            line for part in text.split("\n", allow_blank=True) for line in _folded(part, width)
        ]
    if _least_width(thing) > width:
        thing = without(thing, [column for column in thing.columns if _is_bars(column)])
    if _least_width(thing) > width:
        for column in thing.columns[1:]:
            cells = max((len(str(cell)) for cell in column.cells), default=0)
            lines = textwrap.wrap(
                str(column.header), max(cells, 8), break_long_words=False, break_on_hyphens=False
            )
            column.header = "\n".join(lines)
    if _least_width(thing) > width:
        wraps, thing.columns[0].no_wrap = thing.columns[0].no_wrap, False
        if _least_width(thing) > width:
            thing.columns[0].no_wrap = wraps
            return _on_its_side(thing, width)
    return [thing]


def without(frame: Table, columns: Sequence[Any]) -> Table:
    """Remove some columns from a table."""
    frame.columns = [each for each in frame.columns if each not in columns]
    for number, each in enumerate(frame.columns):
        each._index = number  # rich uses it for padding
    return frame


def _on_its_side(frame: Table, width: int) -> list[Any]:
    from rich.text import Text

    columns = frame.columns
    rows = [[str(cell) for cell in row] for row in zip(*(c.cells for c in columns), strict=True)]
    names = [str(column.header).replace("\n", " ") for column in columns]
    turned = table([names[0], *(f">{row[0]}" for row in rows)])
    for number, name in enumerate(names[1:], 1):
        turned.add_row(name, *(row[number] for row in rows))
    if len(rows) <= _MOST_TURNED and _least_width(turned) <= width:
        return [turned]
    paragraphs: list[Any] = []
    for row in rows:
        cells = [(name, cell) for name, cell in zip(names[1:], row[1:], strict=True) if cell]
        paragraphs.append(heading("  ".join([row[0], *(cell for name, cell in cells if not name)])))
        values = [f"{name} {cell}" for name, cell in cells if name and cell != "-"]
        values = [
            text.replace(" ", _BOUND) if len(text) < _LONGEST_WORD else text for text in values
        ]
        if values:
            paragraphs += _folded(Text(f"  {', '.join(values)}"), width)
    return paragraphs


def _is_bars(column: Any) -> bool:
    """Return whether a column has no values of its own, but draws those of another as bars."""
    cells = [str(cell) for cell in column.cells]
    return (
        not str(column.header)
        and any(cells)
        and not any(letter.isalnum() or letter == "/" for cell in cells for letter in cell)
    )


def _least_width(frame: Table) -> int:
    """Return the columns that a table needs at least, so that no word or number is cut."""
    need = 2 * (len(frame.columns) - 1)
    for column in frame.columns:
        cells = [line for cell in (column.header, *column.cells) for line in str(cell).split("\n")]
        if column.no_wrap or column.justify == "right":
            need += max(len(cell) for cell in cells)
        else:
            words = (len(word) for cell in cells for word in cell.split())
            need += min(max(words, default=0), _LONGEST_WORD)
    return need


def _folded(line: Text, width: int) -> list[Text]:
    """Break a line between words, so that it fits a width; all but the first are indented."""
    from rich.text import Text

    if line.cell_len <= width or "│" in line.plain:
        line.plain = line.plain.replace(_BOUND, " ")
        return [line]
    indent = len(line.plain) - len(line.plain.lstrip())
    body = line[indent:]
    body.plain = _BREAK.sub(_BOUND, body.plain)  # spans stay valid, since the length is the same
    room, begin, breaks = max(width - indent - 2, 20), 0, []
    for word in re.finditer(r"[^ ]+", body.plain):  # a path is not broken, since it will be copied
        if word.end() - begin > room and word.start() > begin:
            begin = word.start()
            breaks.append(begin)
    lines = body.divide(breaks)
    for part in lines:
        part.rstrip()
        part.plain = part.plain.replace(_BOUND, " ")
    return [Text(" " * (indent + 2 * (number > 0))) + part for number, part in enumerate(lines)]


def emit_json(content: object) -> None:
    """Print `content` as one JSON document to stdout."""
    click.echo(json.dumps(content, indent=2, default=_plain, ensure_ascii=not utf8()))


def _plain(value: object) -> object:
    """Turn numpy scalars, arrays and dataclasses into values for JSON."""
    for name in ("to_json", "tolist"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    return str(value)


@contextmanager
def on_paper() -> Iterator[None]:
    """Let views write for a document: no column is left out, and all characters are available."""
    token = _paper.set(True)
    try:
        yield
    finally:
        _paper.reset(token)


_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silent_next() -> Iterator[None]:
    """Suppress next steps of verbs within the block (the demo has its own order)."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def next_steps(*commands: str) -> None:
    """Print the suggested next commands of a verb on stderr."""
    if _silent.get():
        return
    bold, dim, reset = stderr_style("bold"), stderr_style("dim"), stderr_style("reset")
    sys.stdout.flush()
    for number, command in enumerate(commands):
        word = "next:" if number == 0 else "     "
        click.echo(f"{dim}{word}{reset} {bold}{command}{reset}", err=True)


def warn(lines: Iterable[str], most: int = 10) -> None:
    """Print warnings on stderr, at most `most`, then the number of further ones."""
    shown = list(lines)
    for line in shown[:most]:
        click.echo(
            f"{stderr_style('bold')}warning:{stderr_style('reset')} {one_line(line)}", err=True
        )
    if len(shown) > most:
        click.echo(f"warning: and {len(shown) - most} more", err=True)
