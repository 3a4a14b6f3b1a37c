"""Shared parts of the generators; uses only the standard library."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MADE_BY = "Made by tools/generate.py from {source}; do not edit."


class SchemaError(Exception):
    """The schema breaks one of its own rules."""


def made_by(source: Path) -> str:
    """Return the sentence that every generated file begins with."""
    return MADE_BY.format(source=source.relative_to(ROOT))
