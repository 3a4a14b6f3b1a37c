"""Fixtures of the MPI tests: an MPI (each test once per MPI), and a runner of its programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

from mpis import FLAVOURS, Mpi, Mpirun, needed

#: Files whose tests hold for all MPIs alike, but for the names of their calls (which
#: test_mpi_classes.py has): those with another MPI than the first one are run in turn.
ALIKE = {f"test_mpi_{name}.py" for name in ("jobs", "life", "partners", "segments", "traffic")}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are run in turn."""
    for item in items:
        used = getattr(getattr(item, "callspec", None), "params", {}).get("mpi")
        if item.path.name in ALIKE and used in FLAVOURS[1:]:
            item.add_marker(pytest.mark.in_turn)


@pytest.fixture(params=FLAVOURS)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    return needed(request.param)


@pytest.fixture
def jostle(library: Path, tmp_path: Path) -> Mpirun:
    """A runner with a spool, a data folder and folders for accounts of its own."""
    return Mpirun(library, tmp_path)
