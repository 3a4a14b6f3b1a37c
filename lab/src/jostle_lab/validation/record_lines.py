"""Stores records of experiments as lines of JSON, so that a killed measurement can continue."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

Record = TypeVar("Record")


def append_line(path: Path, plain: Mapping[str, Any]) -> None:
    """Append a record to a file.

    Args:
        path: Path of the file.
        plain: The record as plain values.
    """
    with path.open("a") as stream:
        # A line of its own, after one that a crash may have cut off.
        stream.write("\n" + json.dumps(plain) + "\n")


def read_lines(path: Path, parse: Callable[[dict[str, Any]], Record]) -> list[Record]:
    """Return the records in a file.

    A line that a crash cut off, or that is no record, is left out.

    Args:
        path: Path of the file; it may be missing.
        parse: Function that makes a record from plain values. A record for which it raises
            ValueError, KeyError or TypeError, such as one of an older version, is left out.
    """
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            found.append(parse(json.loads(line)))
    return found


def last_records(
    path: Path, parse: Callable[[dict[str, Any]], Record], number: Callable[[Record], int]
) -> list[Record]:
    """Return the last record of each experiment, in the order of their numbers.

    Args:
        path: Path of the file; it may be missing.
        parse: Function that makes a record from plain values, as of `read_lines`.
        number: Function that returns the number of a record's experiment.
    """
    found = {number(one): one for one in read_lines(path, parse)}
    return [found[each] for each in sorted(found)]
