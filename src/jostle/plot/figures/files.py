"""Checks the file of a chart before matplotlib is loaded, and writes it as a whole."""

from __future__ import annotations

import os
import uuid
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.errors import UsageError, naming

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")


def check_suffix(path: Path) -> None:
    """Refuse a file that cannot become a picture, before any work is done.

    Raises:
        UsageError: The file's ending is not that of a picture, or its folder is missing or not
            writable.
    """
    folder = path.absolute().parent
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"`{path}` does not end in a known picture format.",
            hint=f"Name a file that ends in {', '.join(SUFFIXES)}.",
        )
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist.", hint=f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"The folder {folder} cannot be written by you.",
            hint="Name a file in a different folder.",
        )


def save_figure(figure: Figure, path: Path, dpi: int) -> None:
    """Write a figure as a whole: if that fails, an existing file stays unchanged.

    Args:
        figure: The figure.
        path: Path of the file, whose ending gives the format. An SVG has no date.
        dpi: Dots per inch of a PNG.

    Raises:
        OSError: The file cannot be written; the error names `path`.
    """
    form = path.suffix.lower()[1:]
    metadata = {"Date": None} if form == "svg" else None
    content = BytesIO()  # matplotlib's PDF writer hides the error of a file under one of its own
    figure.savefig(content, format=form, dpi=dpi, facecolor="white", metadata=metadata)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with naming(path):
            temporary.write_bytes(content.getbuffer())
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
