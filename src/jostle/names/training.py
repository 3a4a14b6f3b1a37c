"""Training jobs: worlds without MPI, made by a collective library."""

from __future__ import annotations

#: Names of the libraries in profiles, where a version follows.
_LIBRARIES = ("NCCL", "RCCL", "gloo")


def is_collective_library(library: str | None) -> bool:
    """Return whether a world's library is a collective library such as "NCCL 2.27.3"."""
    return (library or "").partition(" ")[0] in _LIBRARIES
