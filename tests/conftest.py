"""What every test may ask for: the repository's root and the built native parts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def native(name: str) -> Path | None:
    """A built native file: from JOSTLE_NATIVE when set, else from the build tree."""
    if named := os.environ.get("JOSTLE_NATIVE"):
        found = Path(named) / name
        return found if found.exists() else None
    found = ROOT / "build" / "native" / name
    return found if found.exists() else None


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def library() -> Path:
    """The preload library under test."""
    found = native("libjostle.so")
    if found is None:
        pytest.fail("libjostle.so is not built: run `make build`, or set JOSTLE_NATIVE")
    return found
