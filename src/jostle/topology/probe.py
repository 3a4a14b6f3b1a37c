"""Finds the program that measures latencies between nodes, which is compiled for each MPI."""

from __future__ import annotations

from pathlib import Path

from jostle import NativeMissingError, native_path


def probe_program(mpi: str) -> Path:
    """Return the program that `jostle topology probe` executes.

    Args:
        mpi: Family of the MPI: "openmpi" or "mpich".

    Raises:
        NativeMissingError: The program was not built, since the MPI was missing then.
    """
    try:
        return native_path(f"jostle-probe-{mpi}")
    except NativeMissingError as error:
        raise NativeMissingError(
            str(error),
            hint=f"Install this MPI with its headers, so that mpicc.{mpi} is found (or set "
            "-DJOSTLE_MPICC=COMMAND); then run `make build`, or reinstall jostle.",
        ) from None
