"""Finds out which MPI's launcher started this process, from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping

# Variables that a launcher sets for its ranks. PMI_RANK alone: MPICH's hydra, Intel's, and Slurm's
# --mpi=pmi2. OMPI_...: Open MPI's, also under Slurm's --mpi=pmix.
_SIGNS = {
    "openmpi": ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK"),
    "mpich": ("PMI_RANK", "PMI_SIZE", "PMI_FD"),
}


def mpi_of_environment(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the MPI whose launcher started this process.

    Args:
        environment: Environment variables to check; None: those of this process.

    Returns:
        "openmpi", "mpich", or None if no launcher is recognised.
    """
    seen = os.environ if environment is None else environment
    for mpi, names in _SIGNS.items():
        if any(name in seen for name in names):
            return mpi
    return None
