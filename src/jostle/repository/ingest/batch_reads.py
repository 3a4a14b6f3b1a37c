"""Finds out what of a batch of files the repository lacks, and reads it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

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
_MOST_STATE_BYTES = 512 << 20  # of all profiles: enough for 500,000 of 1 KB


@dataclass
class Tally:
    """Result of a batch so far: its report, and the files with new data."""

    report: IngestReport = field(default_factory=IngestReport)
    changed: set[Path] = field(default_factory=set)


class Stopped(NamedTuple):
    """Where the reading of a growing profile stopped.

    Attributes:
        inode: Inode of the file.
        bookmark: Bookmark of its slices; None: all of its records must be read again.
        stream_state: SegmentRead.state; empty: all of its segments must be read again.
    """

    inode: int
    bookmark: Bookmark | None
    stream_state: bytes

    @property
    def state_bytes(self) -> int:
        """Bytes of its two states."""
        return len(self.stream_state) + (len(self.bookmark.state) if self.bookmark else 0)

    def without_states(self) -> Stopped:
        """Return the same without what would need memory for its states."""
        bookmark = self.bookmark if self.bookmark and not self.bookmark.state else None
        return Stopped(self.inode, bookmark, b"")


class Bookmarks:
    """Where the reading of each growing profile stopped.

    RATIONALE: the two states of an MPI rank's profile need about 1 KB, but may need 128 KiB. Beyond
    a limit for all profiles, further ones are read wholly in each pass. Profiles that have states
    keep them: if the oldest were dropped instead, each profile would lose its states just before
    they are needed, since every pass reads the profiles in the same order.

    Attributes:
        known: By path.
        state_bytes: Bytes of all states.
    """

    def __init__(self) -> None:
        self.known: dict[Path, Stopped] = {}
        self.state_bytes = 0
        self._guard = threading.Lock()

    def of(self, item: HeaderPeek, at: Position) -> Bookmark | None:
        """Return where the reading of a file may continue, if it stopped at its stored position."""
        stopped = self.known.get(item.path)
        if stopped is None or stopped.inode != item.mark[0] or stopped.bookmark is None:
            return None
        return stopped.bookmark if stopped.bookmark.record == at.records else None

    def stream_of(self, item: HeaderPeek) -> bytes:
        """Return the state with which the reading of a file's segments may continue."""
        stopped = self.known.get(item.path)
        return stopped.stream_state if stopped and stopped.inode == item.mark[0] else b""

    def keep(
        self, item: HeaderPeek, result: ReadResult, stream_state: bytes, *, over: bool
    ) -> None:
        """Remember where the reading of a file stopped.

        Args:
            item: The file.
            result: Result of reading its slices.
            stream_state: SegmentRead.state.
            over: Whether its process has ended, and all of it was read.
        """
        if over or (result.bookmark is None and not stream_state):
            self.forget(item.path)
        else:
            self._put(item.path, Stopped(item.mark[0], result.bookmark, stream_state))

    def _put(self, path: Path, stopped: Stopped) -> None:
        with self._guard:
            before = self.known.get(path)
            free = _MOST_STATE_BYTES - self.state_bytes + (before.state_bytes if before else 0)
            kept = stopped if stopped.state_bytes <= free else stopped.without_states()
            self.state_bytes = _MOST_STATE_BYTES - free + kept.state_bytes
            self.known[path] = kept

    def forget(self, path: Path) -> None:
        """Forget a file that is no longer read."""
        with self._guard:
            stopped = self.known.pop(path, None)
            if stopped is not None:
                self.state_bytes -= stopped.state_bytes

    def leave(self, left: Left, taken: dict[Path, int]) -> None:
        """Remember where the reading of a profile stopped that is followed no longer.

        Args:
            left: The profile.
            taken: Bytes of each file that the repository has.
        """
        stopped = self.known.get(left.path)
        if stopped is not None and stopped.inode == left.inode and stopped.bookmark is not None:
            known = stopped.bookmark
            taken[left.path] = taken.get(left.path, 0) + left.at - known.at
            at = replace(known, record=left.record, at=left.at, slice=left.slice)
            self._put(left.path, stopped._replace(bookmark=at))


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
