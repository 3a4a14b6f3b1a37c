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


@pytest.fixture(params=FLAVOURS)
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
