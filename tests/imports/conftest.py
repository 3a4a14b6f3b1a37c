"""What the tests of imports share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
sys.path.append(str(Path(__file__).parents[1] / "cli"))

from jostle.repository import Repository  # noqa: E402


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)
