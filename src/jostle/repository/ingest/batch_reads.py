"""Finds out what of a batch of files the repository lacks, and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jostle.reader import (
    Bookmark,
    Decoded,
    FileTables,
    ProfileHeader,
    ReadRequest,
    ReadResult,
    read_files,
    read_segments,
)
from jostle.repository.ingest.followed import Left
from jostle.repository.ingest.plan import is_over
from jostle.repository.ingest.spool import HeaderPeek
from jostle.repository.segments.rows import DecodedSegments as Segments
from jostle.repository.store.profile_positions import Position
from jostle.repository.store.state import RepositoryState
from jostle.repository.types import IngestReport

_BATCH_SEGMENTS = 1 << 20


@dataclass
class Tally:
    """Result of a batch so far: its report, and the files with new data."""

    report: IngestReport = field(default_factory=IngestReport)
    changed: set[Path] = field(default_factory=set)


class Bookmarks:
    """Where the reading of each growing profile stopped.

    Attributes:
        known: By path: the file's inode, and its bookmark.
    """

    def __init__(self) -> None:
        self.known: dict[Path, tuple[int, Bookmark]] = {}

    def of(self, item: HeaderPeek, at: Position) -> Bookmark | None:
        """Return where the reading of a file may continue, if it stopped at its stored position."""
        inode, bookmark = self.known.get(item.path, (0, None))
        if bookmark is None or inode != item.mark[0] or bookmark.record != at.records:
            return None
        return bookmark

    def keep(self, item: HeaderPeek, result: ReadResult, *, over: bool) -> None:
        """Remember where the reading of a file stopped; over: its process has ended."""
        if result.bookmark is not None and not over:
            self.known[item.path] = (item.mark[0], result.bookmark)
        else:
            self.known.pop(item.path, None)

    def leave(self, left: Left, taken: dict[Path, int]) -> None:
        """Remember where the reading of a profile stopped that is followed no longer.

        Args:
            left: The profile.
            taken: Bytes of each file that the repository has.
        """
        inode, known = self.known.get(left.path, (0, None))
        if known is not None and inode == left.inode:
            taken[left.path] = taken.get(left.path, 0) + left.at - known.at
            at = replace(known, record=left.record, at=left.at, slice=left.slice)
            self.known[left.path] = inode, at


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
