"""Stores the results of experiments as CSV files, with a column for each field of a dataclass."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row")


def save_rows(path: Path, kind: type[Row], rows: Iterable[Row]) -> Path:
    """Write rows as CSV: decimals with three digits, flags as yes and no, None as an empty field.

    Args:
        path: Path of the file.
        kind: The class of the rows, a dataclass.
        rows: The rows.

    Returns:
        Path of the file.
    """
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _text(getattr(row, name)) for name in names} for row in rows)
    return path


def load_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Read the rows from a file that `save_rows` wrote."""
    with path.open(newline="") as stream:
        return [kind(**_values(kind, line)) for line in csv.DictReader(stream)]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)


def _values(kind: type[Any], line: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in fields(kind):
        text, annotation = line[each.name], str(each.type)
        if annotation == "str":
            found[each.name] = text
        elif annotation == "int":
            found[each.name] = int(text)
        elif not text:
            found[each.name] = None
        else:
            found[each.name] = text == "yes" if "bool" in annotation else float(text)
    return found
