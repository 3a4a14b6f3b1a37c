"""Finds out what of a batch of files the repository lacks, and reads it."""

from __future__ import annotations

from collections.abc import Sequence

from jostle.reader import (
    Decoded,
    FileTables,
    ProfileHeader,
    ReadRequest,
    read_files,
    read_segments,
)
from jostle.repository.ingest.plan import is_over
from jostle.repository.ingest.spool import HeaderPeek
from jostle.repository.segments.rows import DecodedSegments as Segments
from jostle.repository.store.profile_positions import Position
from jostle.repository.store.state import RepositoryState

_BATCH_SEGMENTS = 1 << 20


def unfinished(
    state: RepositoryState, items: Sequence[HeaderPeek]
) -> tuple[list[HeaderPeek], list[Position]]:
    """Return the files that are not complete in the repository, and their positions in it."""
    done = state.done_of([item.process for item in items if item.process is not None])
    left = [item for item in items if item.process not in done]
    return left, state.positions([item.process or 0 for item in left])


def segments_of(items: Sequence[HeaderPeek], requests: Sequence[ReadRequest]) -> Segments:
    """Read the segments of profiles that may have some."""
    wanted = [request for item, request in zip(items, requests, strict=True) if item.segments]
    if not wanted:
        return Segments(None, {})
    result = read_segments(wanted, _BATCH_SEGMENTS)
    return Segments(result, {read.request.process: read for read in result.results})


def files_of(items: Sequence[HeaderPeek], decoded: Decoded) -> FileTables:
    """Read the tables of files of ended processes: only then they are complete."""
    return read_files(
        [
            result.request
            for item, result in zip(items, decoded.results, strict=True)
            if isinstance(result.header, ProfileHeader)
            and result.complete
            and is_over(item, result.header)
        ]
    )
