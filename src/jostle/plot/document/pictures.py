"""Embeds figures in an HTML file: as SVG with text, or as PNG if that is smaller."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from html import escape
from typing import Any

import matplotlib

from jostle.plot.document.document import Picture
from jostle.plot.figures.page import PAGE_STYLE, canvas

#: Characters of SVG beyond which a figure becomes a PNG: clouds of many thousand points.
_MOST = 250_000
_STYLE: Any = PAGE_STYLE | {"svg.fonttype": "none"}
#: No margins, since the document has the texts.
_TRIM: Any = {"bbox_inches": "tight", "pad_inches": 0.05, "facecolor": "white"}
#: Names within an SVG, and references to them: several figures share one document.
_NAMES = re.compile(r'(\bid="|url\(#|xlink:href="#)')
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_FACE = re.compile(r"'DejaVu Sans'(?!,)")


def markup(picture: Picture, number: int) -> str:
    """Draw a figure without its texts, which the document has next to it.

    Args:
        picture: The figure.
        number: Number of the figure in the document.

    Returns:
        An `svg` or `img` element with an alternative text.
    """
    page = replace(picture.page, title="", note="", foot="")
    with matplotlib.rc_context(_STYLE):
        made = canvas(page)
        picture.draw(made)
        file = io.BytesIO()
        nobody = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        made.figure.savefig(file, format="svg", metadata=nobody, **_TRIM)
        drawn = file.getvalue().decode()
        if len(drawn) <= _MOST:
            return _inline(drawn, picture.page.title, number)
        file = io.BytesIO()
        made.figure.savefig(file, format="png", dpi=130, **_TRIM)
    data = base64.b64encode(file.getvalue()).decode("ascii")
    alternative = escape(picture.page.title)
    return f'<img alt="{alternative}" src="data:image/png;base64,{data}">'


def _inline(drawn: str, title: str, number: int) -> str:
    """Return an SVG file as an element of a document that has further ones."""
    element = _METADATA.sub("", drawn[drawn.index("<svg") :])
    element = _NAMES.sub(rf"\g<1>f{number}-", element)
    element = _FACE.sub("'DejaVu Sans', Verdana, sans-serif", element)
    head, _, body = element.partition(">")
    head = re.sub(r' (xmlns(:xlink)?|version)="[^"]*"', "", head)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    named = f'role="img" aria-labelledby="f{number}-title"'
    return f'{head} {named}><title id="f{number}-title">{escape(title)}</title>{body}'
