"""Writes a document as one HTML file, without scripts and without further files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from string import Template

from jostle.plot.document.document import (
    Block,
    Commands,
    Document,
    Facts,
    Grid,
    Part,
    Picture,
    Section,
    Words,
    bar,
)
from jostle.plot.document.pictures import markup
from jostle.plot.document.style import CSS
from jostle.values.plain_values import one_line

#: Most characters of pictures, so that the file can be mailed; the rest is left out, and named.
MOST_PICTURES = 800_000
_SHORT = 18  # characters of a cell that is not broken

_SHELL = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="jostle report">
<title>$title</title>
<style>$css</style>
</head>
<body>
<main>
<header>
<p class="kind">$kind</p>
<h1>$name</h1>
</header>
$body
<footer>$foot</footer>
</main>
</body>
</html>
""")


def html(document: Document, progress: Callable[[int, str], None] = lambda *_: None) -> str:
    """Return the text of the HTML file of a document.

    Args:
        document: Content of the file.
        progress: Function that is called with the number and the title of each figure before it is
            drawn.
    """
    return _Writer(progress).write(document)


def _text(text: str) -> str:
    return escape(one_line(text))


class _Writer:
    """Writes a document; counts its figures and their characters."""

    def __init__(self, progress: Callable[[int, str], None]) -> None:
        self.progress = progress
        self.drawn = 0
        self.size = 0

    def write(self, document: Document) -> str:
        parts = "".join(map(self.part, document.parts))
        return _SHELL.substitute(
            title=_text(f"{document.title}: jostle report"),
            css=CSS,
            kind=_text(f"{document.kind} report"),
            name=_text(document.name),
            body=_verdict(document) + parts,
            foot=_text(document.foot),
        )

    def part(self, part: Part) -> str:
        return f"<h2>{_text(part.title)}</h2>\n" + "".join(map(self.section, part.sections))

    def section(self, section: Section) -> str:
        note = f" <small>{_text(section.note)}</small>" if section.note else ""
        heading = f"<h3>{_text(section.title)}{note}</h3>\n" if section.title else ""
        blocks = "".join(self.block(block, section.title) for block in section.blocks)
        return f"<section>\n{heading}{blocks}</section>\n"

    def block(self, block: Block, name: str) -> str:
        match block:
            case Words():
                lead = f"<b>{_text(block.lead)}</b> " if block.lead else ""
                return f"<p>{lead}{_text(block.text)}</p>\n"
            case Commands():
                return "".join(
                    f"<p>{_text(shows)}</p>\n<pre><code>{_text(line)}</code></pre>\n"
                    for line, shows in block.lines
                )
            case Facts():
                return _facts(block)
            case Grid():
                return _grid(block, name)
            case Picture():
                return self.picture(block)

    def picture(self, picture: Picture) -> str:
        self.progress(self.drawn, picture.page.title)
        self.drawn += 1
        drawn = markup(picture, self.drawn) if self.size < MOST_PICTURES else ""
        page = picture.page
        if not drawn or self.size + len(drawn) > MOST_PICTURES:
            return f"<p>{_text(page.title)} (figure left out: the file would be too large)</p>\n"
        self.size += len(drawn)
        words = " ".join(filter(None, (page.note, page.foot)))
        return (
            f"<figure>\n<figcaption><b>{_text(page.title)}</b>{_text(words)}</figcaption>\n"
            f'<div class="scroll picture" tabindex="0">{drawn}</div>\n</figure>\n'
        )


def _verdict(document: Document) -> str:
    if not document.verdict:
        return ""
    light = f'<b class="light">{_text(document.light)}</b>' if document.light else ""
    return (
        f'<section class="verdict {escape(document.light)}">\n'
        f"<p>{light}{_text(document.verdict)}</p>\n</section>\n"
    )


def _facts(facts: Facts) -> str:
    items = "".join(
        f"<div><dt>{_text(name)}</dt><dd>{_text(value)}"
        + (f"<small>{_text(remark)}</small>" if remark else "")
        + "</dd></div>\n"
        for name, value, remark in facts.pairs
    )
    return f'<dl class="facts">\n{items}</dl>\n'


def _grid(grid: Grid, name: str) -> str:
    head = "".join(
        f'<th scope="col"{_side(right)}>{_text(column)}</th>'
        if column
        else '<td class="blank"></td>'
        for column, right in grid.columns
    )
    rows = "".join(f"<tr>{_row(grid, row)}</tr>\n" for row in grid.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(name) or "table"}">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def _row(grid: Grid, row: Sequence[str]) -> str:
    written = []
    for place, (cell, (_, right)) in enumerate(zip(row, grid.columns, strict=True)):
        filled = bar(cell)
        if filled is not None:
            written.append(
                f'<td><span class="bar" aria-hidden="true">'
                f'<i style="width:{100 * filled:.0f}%"></i></span></td>'
            )
        elif place == 0 and not right:
            written.append(f'<th scope="row"{_whole(cell)}>{_text(cell)}</th>')
        else:
            written.append(f"<td{_side(right) or _whole(cell)}>{_text(cell)}</td>")
    return "".join(written)


def _side(right: bool) -> str:
    return ' class="right"' if right else ""


def _whole(cell: str) -> str:
    """Keep a short cell on one line."""
    return ' class="whole"' if len(cell) <= _SHORT else ""
