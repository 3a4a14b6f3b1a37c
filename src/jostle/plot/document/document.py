"""Content of a document: texts, tables and figures, independent of the file's format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Letters of which a bar in a table is made: filled, and empty.
FULL, EMPTY = "█", "·"


@dataclass(frozen=True)
class Words:
    """A paragraph of text.

    Attributes:
        text: Text of the paragraph.
        lead: Beginning of the paragraph in bold, not part of `text`.
    """

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Commands:
    """Command lines to type, with a description of each.

    Attributes:
        lines: Pairs of a command line and the description of its output.
    """

    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Facts:
    """A few numbers in large type.

    Attributes:
        pairs: Name, value, and remark or "" of each number.
    """

    pairs: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Grid:
    """A table of text cells.

    Attributes:
        columns: Name of each column, and whether it is aligned to the right.
        rows: The cells; a cell of FULL and EMPTY is a bar.
    """

    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn into the document.

    Attributes:
        page: Texts and size of the figure (`jostle.plot.figures.page.Page`).
        draw: Function that draws it on a canvas.
    """

    page: Any
    draw: Callable[[Any], None]


Block = Words | Commands | Facts | Grid | Picture


@dataclass(frozen=True)
class Section:
    """Blocks under a heading.

    Attributes:
        title: The heading; "" for none.
        note: Short text next to the heading.
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
    """The content of a whole document.

    Attributes:
        kind: Kind of the subject: `Job` or `Study`.
        name: Name of the subject.
        light: Traffic light: green, yellow or red; `undecided`; "" where there is no light.
        verdict: The verdict as a sentence.
        parts: Parts of the document, in order.
        foot: Last line: version and time of creation.
    """

    kind: str
    name: str
    light: str
    verdict: str
    parts: Sequence[Part]
    foot: str

    @property
    def title(self) -> str:
        """Title of the document: kind and name of its subject."""
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
