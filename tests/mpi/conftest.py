"""Fixtures of the MPI tests: an MPI (each test once per MPI), and a runner of its programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

from mpis import FLAVOURS, Mpi, Mpirun, needed


@pytest.fixture(params=FLAVOURS)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    return needed(request.param)


@pytest.fixture
def jostle(library: Path, tmp_path: Path) -> Mpirun:
    """A runner with a spool, a data folder and folders for accounts of its own."""
    return Mpirun(library, tmp_path)
