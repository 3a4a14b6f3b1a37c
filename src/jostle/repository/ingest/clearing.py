"""Removes profiles from spools, but only those that the repository contains completely."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from jostle.reader import ProfileError, ReadRequest, find_profiles, read_profiles
from jostle.repository.ingest.spool import HeaderPeek, peek_header, superseded_profiles
from jostle.repository.store.layout import process_id
from jostle.repository.store.state import RepositoryState


def not_taken(paths: Sequence[Path], state: RepositoryState) -> list[tuple[Path, str]]:
    """Return the profiles in spools that are not completely in a repository, with their jobs.

    Args:
        paths: Spool folders or single profiles; those that cannot be read are ignored.
        state: State of the repository's commit log.
    """
    ids: dict[Path, tuple[str, tuple[int, int]]] = {}
    for path in find_profiles(paths):
        with contextlib.suppress(OSError, ProfileError):
            peek = peek_header(path)
            if peek.life is not None:
                ids[path] = (peek.job, _ids(peek))
    done = state.done_of({key for _, keys in ids.values() for key in keys})
    return [(path, job) for path, (job, keys) in ids.items() if done.isdisjoint(keys)]


def clear_spool(folder: Path, state: RepositoryState) -> None:
    """Remove those files of a spool that a repository has completely.

    Args:
        folder: The spool folder.
        state: State of the repository's commit log.
    """
    paths = find_profiles([folder])
    superseded = superseded_profiles(dict.fromkeys(paths))
    for path in paths:
        with contextlib.suppress(OSError, ProfileError):
            peek = peek_header(path)
            whole = superseded.get(path) == peek.mark or _is_whole(peek, state)
            if whole and peek_header(path).mark == peek.mark:  # nothing was appended meanwhile
                path.unlink()


def _is_whole(peek: HeaderPeek, state: RepositoryState) -> bool:
    keys = set(_ids(peek)) if peek.life is not None else set()
    if peek.life is None:
        read = read_profiles([ReadRequest(peek.path, 0)])
        (result,) = read.results
        if result.error is not None or result.warnings or not result.complete:
            return False
        shorts = [
            {
                process_id(owner, short.header.boot_id, short.pid, short.start_ns, 0)
                for owner in (None, short.uid)
            }
            for short in read.short_processes
        ]
        done = state.done_of({key for some in shorts for key in some})
        done -= state.expired_of(done)
        return not any(done.isdisjoint(some) for some in shorts)
    done = state.done_of(keys)
    return peek.is_dead and bool(done) and done.isdisjoint(state.expired_of(done))


def _ids(peek: HeaderPeek) -> tuple[int, int]:
    """Return the two ids that a profile may have: its owner may own the repository, or not."""
    assert peek.life is not None
    return process_id(None, *peek.life), process_id(peek.owner, *peek.life)
