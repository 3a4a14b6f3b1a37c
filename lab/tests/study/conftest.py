"""Fixtures of the tests of studies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # workplace

import pytest
from workplace import Workplace


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@pytest.fixture
def parse() -> Callable[..., Any]:
    """Reads a study from its text."""
    from jostle_lab.study.config import StudyOptions, parse

    return lambda text, **options: parse(text, "study.toml", StudyOptions(**options))
