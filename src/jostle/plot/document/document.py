"""Content of a document: texts, tables and figures, apart from how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Letters of which a bar in a table is made: filled, and empty.
FULL, EMPTY = "█", "·"


@dataclass(frozen=True)
class Words:
    """A paragraph.

    Attributes:
        text: The text.
        lead: Its beginning, shown bold; not part of `text`.
    """

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Commands:
    """Command lines to type, with what each shows.

    Attributes:
        lines: Pairs of a command line and what it shows.
    """

    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Facts:
    """A few numbers, shown large.

    Attributes:
        pairs: (name, value, a remark or "") of each.
    """

    pairs: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        columns: (name, whether it is aligned to the right) of each.
        rows: The cells; a cell of FULL and EMPTY is a bar.
    """

    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A figure.

    Attributes:
        page: Its texts and size (`jostle.plot.figures.page.Page`).
        draw: Draws it on a canvas.
    """

    page: Any
    draw: Callable[[Any], None]


Block = Words | Commands | Facts | Grid | Picture


@dataclass(frozen=True)
class Section:
    """Blocks under a heading.

    Attributes:
        title: The heading; "" for none.
        note: A short text next to it.
        blocks: Texts, tables and figures of the section, in order.
    """

    title: str
    note: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Part:
    """Sections under a heading of the first order.

    Attributes:
        title: The heading.
        sections: Sections of the part, in order.
    """

    title: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Document:
    """A document.

    Attributes:
        kind: The kind of its subject: `Job` or `Study`.
        name: The subject's name.
        light: green, yellow or red; `undecided`; "" where there is no light.
        verdict: The verdict as a sentence.
        parts: Parts of the document, in order.
        foot: Version and time of making.
    """

    kind: str
    name: str
    light: str
    verdict: str
    parts: Sequence[Part]
    foot: str

    @property
    def title(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name}"


def bar(cell: str) -> float | None:
    """Return the filled part of a cell's bar, 0 to 1; None if the cell is no bar."""
    if not cell or cell.strip(FULL + EMPTY):
        return None
    return cell.count(FULL) / len(cell)


def pictures(document: Document) -> Iterator[Picture]:
    """Yield the figures of a document, in order."""
    for part in document.parts:
        for section in part.sections:
            yield from (block for block in section.blocks if isinstance(block, Picture))
