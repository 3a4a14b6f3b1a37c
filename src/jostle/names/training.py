"""Recognises training jobs, whose ranks communicate by NCCL, RCCL or gloo instead of MPI."""

from __future__ import annotations

#: Names of the libraries in profiles, where a version follows.
_LIBRARIES = ("NCCL", "RCCL", "gloo")


def is_collective_library(library: str | None) -> bool:
    """Return whether training jobs use this communication library, such as "NCCL 2.27.3"."""
    return (library or "").partition(" ")[0] in _LIBRARIES
