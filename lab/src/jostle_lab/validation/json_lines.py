"""Stores the records of experiments as lines of JSON, so that a killed measurement can resume."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

Record = TypeVar("Record")


def append_line(path: Path, plain: Mapping[str, Any]) -> None:
    """Append a record to a file."""
    with path.open("a") as stream:
        # A line of its own, after one that a crash may have cut off.
        stream.write("\n" + json.dumps(plain) + "\n")


def read_lines(path: Path, read: Callable[[dict[str, Any]], Record]) -> list[Record]:
    """Return the records in a file, except for a line that a crash cut off.

    Args:
        path: Path of the file, which need not exist.
        read: Function that makes a record from its plain values. A record for which it raises
            ValueError, KeyError or TypeError, such as one of an older version, is left out.
    """
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            found.append(read(json.loads(line)))
    return found
