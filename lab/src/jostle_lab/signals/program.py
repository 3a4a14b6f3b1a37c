"""Finds the signal program: one executable without MPI, and one for each MPI library."""

from __future__ import annotations

from pathlib import Path

from jostle import NativeMissingError
from jostle.errors import UsageError
from jostle_lab.native import lab_native_path

#: The MPIs that a signal is built for, where they are installed.
MPIS = ("openmpi", "mpich")


def program(mpi: str | None = None) -> Path:
    """Find the executable of the signal program.

    Args:
        mpi: MPI library: "openmpi" or "mpich"; None: the executable without MPI.

    Returns:
        The absolute path, searched in JOSTLE_NATIVE, the build tree and the installed wheel.

    Raises:
        UsageError: The MPI library is unknown.
        NativeMissingError: The program was not built, for example since mpicc was missing.
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
            hint=f"The signal program for this MPI is built only if mpicc.{mpi} is found. "
            "Install that MPI with its headers, then run `make build` or reinstall jostle. Set "
            "-DJOSTLE_MPICC=COMMAND if mpicc has another name.",
        ) from None
