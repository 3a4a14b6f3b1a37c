"""Finds the executable of signals: one without MPI, and one for each MPI."""

from __future__ import annotations

from pathlib import Path

from jostle import NativeMissingError
from jostle.errors import UsageError
from jostle_lab.native import lab_native_path

#: The MPIs that a signal is built for, where they are installed.
MPIS = ("openmpi", "mpich")


def program(mpi: str | None = None) -> Path:
    """Find the executable of the signals.

    Args:
        mpi: "openmpi", "mpich", or None for the one without MPI.

    Returns:
        Its absolute path, found as all compiled parts are (JOSTLE_NATIVE, build tree, wheel).

    Raises:
        UsageError: The MPI is unknown.
        NativeMissingError: It was not built; for an MPI: its mpicc was missing at build time.
    """
    if mpi is None:
        return lab_native_path("jostle-signal")
    if mpi not in MPIS:
        raise UsageError(
            f"There is no signal for the MPI `{mpi}`.", hint=f"One of: {', '.join(MPIS)}."
        )
    try:
        return lab_native_path(f"jostle-signal-{mpi}")
    except NativeMissingError as error:
        raise NativeMissingError(
            str(error),
            hint=f"It is built where mpicc.{mpi} is found: install that MPI with its headers, "
            "then `make build` (or -DJOSTLE_MPICC=COMMAND), or reinstall jostle.",
        ) from None
