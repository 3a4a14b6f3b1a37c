"""Python programs: mpi4py's own wheel, and an MPI that a program loads late by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpis import CACHE, PROGRAMS, Mpi, Mpirun

from jostle.files.loadable import find_library

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}


def shared_library(mpi: Mpi) -> str:
    """The path of the MPI's library, as the loader knows it."""
    found = find_library(LIBRARIES[mpi.name])
    if not found:
        pytest.skip(f"the loader does not know {LIBRARIES[mpi.name]}")
    return found


@pytest.fixture(scope="session")
def mpi4py() -> str:
    """A folder to import mpi4py from: fetched once, kept with the compiled programs."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = CACHE / f"mpi4py-{version}"
    if not (folder / "mpi4py").is_dir():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--target",
            str(folder),
            "mpi4py>=4.1,<4.2",
        ]
        env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"mpi4py cannot be had here: {done.stderr.strip()[-80:]}")
    return str(folder)


@pytest.mark.parametrize("ranks", [1, 3])
def test_mpi4py(jostle: Mpirun, mpi: Mpi, mpi4py: str, ranks: int, tmp_path: Path) -> None:
    # The wheel was linked with MPICH under the name that MPICH itself gives its library.
    (tmp_path / "libmpi.so.12").symlink_to(shared_library(mpi))
    env = {
        "LD_LIBRARY_PATH": str(tmp_path),
        "PYTHONPATH": mpi4py,
        "MPI4PY_MPIABI": mpi.name,
        "MPI4PY_LIBMPI": shared_library(mpi),
        "MPI4PY_RC_THREADS": "0",
    }
    program = PROGRAMS / "with_mpi4py.py"
    world = jostle.world(mpi, ranks, sys.executable, program, counted="", env=env)
    assert sorted(world.stdout.split("\n"))[1:] == [f"rank {i} of {ranks}" for i in range(ranks)]
    world.agree(ranks=ranks)
    assert {p.header["mpi_adapter_name"] for p in world.ranks} == {mpi.name}


def test_an_mpi_that_is_loaded_late_and_local(jostle: Mpirun, mpi: Mpi) -> None:
    """Its functions are fetched from the handle: they cannot be seen, and must not be disturbed."""
    world = jostle.world(
        mpi, 2, sys.executable, PROGRAMS / "late.py", shared_library(mpi), mpi.name, counted=""
    )
    assert world.stdout == "sum 1\nsum 1\n"
