"""Fixtures of the signals' tests: an MPI with a signal built for it, and a place to run in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[3] / "tests" / "mpi"))
sys.path.append(str(Path(__file__).parents[3] / "tests" / "runtime"))

from mpis import FLAVOURS, Mpi, needed
from signal_runner import Signals

from jostle import NativeMissingError
from jostle_lab.signals import program


# What is tested is the same in all of them, but for the names of its calls: the others in turn.
@pytest.fixture(
    params=[FLAVOURS[0], *(pytest.param(name, marks=pytest.mark.in_turn) for name in FLAVOURS[1:])]
)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn, where there is a signal for it."""
    found = needed(request.param)
    try:
        program(found.name)
    except NativeMissingError as error:
        pytest.skip(f"{error} It is built where that MPI's headers are.")
    return found


@pytest.fixture
def signals(tmp_path: Path) -> Signals:
    """A place to run signals in."""
    return Signals(tmp_path)
