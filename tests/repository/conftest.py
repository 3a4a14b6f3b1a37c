"""Fixtures of the repository's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from jostle.repository import Repository  # noqa: E402


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)
