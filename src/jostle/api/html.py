"""Pieces of HTML for notebooks: text is escaped, no resource is loaded, no script runs.

Styles are attributes of the elements: notebooks drop style sheets of outputs that they do not
trust. Text has the notebook's own colour, so that it is legible on light and dark backgrounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Literal

from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Align = Literal["left", "right"]

#: The hues of ui/src/tokens.css, each readable on white and on black.
OWN, OTHERS, NOTHING = "#2A86C4", "#D55E00", "#7A8794"
_LIGHTS = {"green": "#0B9A73", "yellow": "#B98A00", "red": "#E0523F"}
_WIDTH, _HEIGHT = 260, 30
_LONGEST = 72  # characters of a cell


def text(value: str) -> str:
    """Escape a text as HTML."""
    return escape(one_line(value))


def name(value: str) -> str:
    """Return a name as HTML; the middle of a long one appears only under the mouse pointer."""
    line = one_line(value)
    if len(line) <= _LONGEST:
        return escape(line)
    half = _LONGEST // 2
    return f'<span title="{escape(line)}">{escape(f"{line[:half]}…{line[-half:]}")}</span>'


def box(title: str, *parts: str) -> str:
    """Return the display of one object.

    Args:
        title: HTML of the first line.
        parts: HTML of the following parts.
    """
    style = "line-height:1.45;margin:4px 0;font-variant-numeric:tabular-nums"
    inner = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="{style}"><div style="margin-bottom:4px">{title}</div>{inner}</div>'


def head(what: str, words: str = "") -> str:
    """Return the first line of a display: a name, followed by a few words."""
    return f"<b>{name(what)}</b>" + (f" &ensp;{text(words)}" if words else "")


def note(words: str) -> str:
    """Return a sentence in small type as HTML."""
    return f'<small style="opacity:.75">{text(words)}</small>' if words else ""


def table(
    columns: Sequence[tuple[str, Align]], rows: Iterable[Sequence[str]], *, wrap: bool = True
) -> str:
    """Return an HTML table.

    Args:
        columns: Name of each column, and how its cells are aligned.
        rows: HTML of the cells.
        wrap: Whether cells on the left may have several lines.
    """
    styles = [
        f"text-align:{align};padding:2px 12px 2px 0"
        + ("" if wrap and align == "left" else ";white-space:nowrap")
        for _, align in columns
    ]

    def line(tag: str, cells: Iterable[str]) -> str:
        inner = "".join(
            f'<{tag} style="{style}">{cell}</{tag}>'
            for style, cell in zip(styles, cells, strict=True)
        )
        return f"<tr>{inner}</tr>"

    body = "".join(line("td", row) for row in rows)
    top = line("th", (text(title) for title, _ in columns))
    style = "border-collapse:collapse;margin:4px 0"
    inner = f'<table style="{style}"><thead>{top}</thead><tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{inner}</div>'


def light(colour: str | None) -> str:
    """Return a traffic light as HTML: a dot in its colour, and the name of the colour."""
    hue = _LIGHTS.get(colour or "", NOTHING)
    dot = "●" if colour else "○"
    return f'<span style="color:{hue}">{dot}</span> <b>{text(colour or "undecided")}</b>'


def bar(share: float, colour: str = OTHERS) -> str:
    """Return a horizontal bar for a share of 0 to 1 as HTML."""
    width = 0 if math.isnan(share) else round(100 * min(max(share, 0.0), 1.0))
    return (
        '<span style="display:inline-block;width:100px;height:8px;border:1px solid '
        f'{NOTHING}"><span style="display:block;width:{width}px;height:8px;background:{colour}">'
        "</span></span>"
    )


def spark(values: NDArray[np.float64], label: str, colour: str, top: float = 0.0) -> str:
    """Return a small area chart as SVG.

    Args:
        values: At least one value, none below 0, at equal steps; long series are reduced to maxima.
        label: Description of the chart for screen readers.
        colour: Colour of the line.
        top: Value at the upper edge of the chart; 0: the greatest of the values.
    """
    import numpy as np

    values = np.nan_to_num(values)
    if len(values) > _WIDTH:
        edges = np.linspace(0, len(values), _WIDTH + 1).astype(np.int64)[:-1]
        values = np.maximum.reduceat(values, edges)
    top = max(top, float(values.max()), 1e-12)
    step = _WIDTH / len(values)
    level = _HEIGHT - 1 - (_HEIGHT - 2) * np.clip(values / top, 0, 1)
    line = "".join(f"V{y:.1f}H{(number + 1) * step:.1f}" for number, y in enumerate(level))
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(one_line(label))}" style="vertical-align:middle">'
        f'<path d="M0 {_HEIGHT - 1}{line}V{_HEIGHT - 1}Z" fill="{colour}" fill-opacity="0.25" '
        f'stroke="{colour}"></path></svg>'
    )
