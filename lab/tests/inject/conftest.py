"""Fixtures of the injector's tests: runners that preload it behind the library under test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "runtime"))
sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "mpi"))
sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "cli"))
sys.path.insert(0, str(Path(__file__).parent))

from injected import Injected
from mpis import FLAVOURS, Mpi, needed


# What is tested is the same in all of them, but for the names of its calls: the others in turn.
@pytest.fixture(
    params=[FLAVOURS[0], *(pytest.param(name, marks=pytest.mark.in_turn) for name in FLAVOURS[1:])]
)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    return needed(request.param)


@pytest.fixture
def injected(library: Path, tmp_path: Path) -> Injected:
    """A runner with folders of its own, whose programs are delayed by rules."""
    if not (library.parent / "libjostle_inject.so").exists():
        pytest.fail("libjostle_inject.so is not built: run `make build`, or set JOSTLE_NATIVE")
    return Injected(library, tmp_path)
