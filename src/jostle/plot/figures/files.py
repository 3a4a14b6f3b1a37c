"""The file that a chart is written to, judged before matplotlib is loaded."""

from __future__ import annotations

import os
from pathlib import Path

from jostle.errors import UsageError

SUFFIXES = (".png", ".svg", ".pdf")


def check_suffix(path: Path) -> None:
    """Refuse a file that cannot become a picture, before any work is done.

    Raises:
        UsageError: Its ending names no picture, or its folder is missing or closed.
    """
    folder = path.absolute().parent
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"`{path}` ends in no known kind of picture.",
            hint=f"Name a file that ends in {', '.join(SUFFIXES)}.",
        )
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist.", hint=f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"The folder {folder} is not writable for you.", hint="Name a file elsewhere."
        )
