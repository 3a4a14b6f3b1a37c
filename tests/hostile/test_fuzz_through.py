"""A short run of fuzz_through.py, with the same mutants each time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from fuzz_through import alone, one_round

from assessing import at_our_priority


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Answers of a good job that has the repository to itself."""
    with at_our_priority():
        return alone(tmp_path_factory.mktemp("alone"))


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", ["1", pytest.param("2", marks=pytest.mark.nightly)])
def test_mutants_come_through(tmp_path: Path, good: dict[str, Any], seed: str) -> None:
    with at_our_priority():
        found = one_round(tmp_path / "work", seed, good, 80)
    if found:
        kept = Path("build/fuzz-through") / f"test-{seed}"
        shutil.copytree(tmp_path / "work" / "spool", kept, dirs_exist_ok=True)
    assert not found, f"fuzz_through.py --replay build/fuzz-through/test-{seed}"
