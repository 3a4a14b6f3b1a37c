"""Compares the symbols that libjostle.so exports with schema/calls.def and the MPI names.

Usage: tools/exports.py LIBRARY...

Every mandatory function must be exported, an optional one may be, nothing else is. MPI names are
all exported, or none is (a build without MPI); objects are never exported. libjostle_inject.so and
the recorders of GPUs export few: another one could replace the program's own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from generators.calls import (
    CALLS_DEF,
    GLOO_NAMES,
    GPU_NAMES,
    MPI_NAMES,
    NCCL_NAMES,
    load_calls,
    load_mpi_names,
)

FEW = {
    "libjostle_inject.so": {"jst_inject_get"},
    "libjostle_cuda.so": {"InitializeInjection"},
    "libjostle_rocm.so": {"jst_rocm_offer", "rocprofiler_configure"},
}


def exported(library: Path) -> dict[str, str]:
    """The names that a shared library defines for others, and nm's letter for each."""
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = (line.split() for line in listing.splitlines())
    return {row[0].split("@")[0]: row[1] for row in rows}


def only(library: Path, wanted: set[str]) -> int:
    names = set(exported(library))
    print(f"{library.name}: {', '.join(sorted(names))}")
    return names != wanted


def main(library: Path) -> int:
    if library.name in FEW:
        return only(library, FEW[library.name])
    calls = load_calls(CALLS_DEF)
    mpi = set(load_mpi_names(MPI_NAMES))
    letters = exported(library)
    names = set(letters)
    wanted = {c.name for c in calls if not c.optional} | (mpi if names & mpi else set())
    wanted |= {*GPU_NAMES, *GLOO_NAMES, *NCCL_NAMES}
    missing = wanted - names
    surplus = names - {c.name for c in calls} - mpi - {*GPU_NAMES, *GLOO_NAMES, *NCCL_NAMES}
    objects = {name for name, letter in letters.items() if letter not in "TW"}
    for name in sorted(missing):
        print(f"{name}: should be exported, and is not", file=sys.stderr)
    for name in sorted(surplus):
        print(f"{name}: is exported, and in no list", file=sys.stderr)
    for name in sorted(objects):
        print(f"{name}: is not a function", file=sys.stderr)
    print(f"{len(names)} functions exported, {len(names & mpi)} of them of MPI")
    return 1 if missing or surplus or objects else 0


if __name__ == "__main__":
    sys.exit(max(main(Path(name)) for name in sys.argv[1:]))
