"""Finds the executable of signals: one without MPI, and one for each MPI."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from jostle import NativeMissingError, _native_path
from jostle.errors import UsageError

#: The MPIs that a signal is built for, where they are installed.
MPIS = ("openmpi", "mpich")

# Variables that a launcher sets for its ranks. PMI_RANK alone: MPICH's hydra, Intel's, and Slurm's
# --mpi=pmi2. OMPI_...: Open MPI's, also under Slurm's --mpi=pmix.
_SIGNS = {
    "openmpi": ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK"),
    "mpich": ("PMI_RANK", "PMI_SIZE", "PMI_FD"),
}


def mpi_of_environment(environment: Mapping[str, str] | None = None) -> str | None:
    """Return which MPI's launcher started this process.

    Args:
        environment: The variables to check; None: those of this process.

    Returns:
        "openmpi", "mpich", or None if no launcher is recognised.
    """
    seen = os.environ if environment is None else environment
    for mpi, names in _SIGNS.items():
        if any(name in seen for name in names):
            return mpi
    return None


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
        return _native_path("jostle-signal")
    if mpi not in MPIS:
        raise UsageError(
            f"There is no signal for the MPI `{mpi}`.", hint=f"One of: {', '.join(MPIS)}."
        )
    try:
        return _native_path(f"jostle-signal-{mpi}")
    except NativeMissingError as error:
        raise NativeMissingError(
            str(error),
            hint=f"It is built where mpicc.{mpi} is found: install that MPI with its headers, "
            "then `make build` (or -DJOSTLE_MPICC=COMMAND), or reinstall jostle.",
        ) from None
