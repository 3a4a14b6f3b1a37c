"""Ingests the new slices of followed profiles, in columns from the decoder to the commit.

RATIONALE: the normal ingest makes some objects for each profile, which takes 150 us. Most profiles
of a site are those of running processes, which only grow. Whatever is not just a further slice is
left to the normal ingest, which alone decides what a profile means.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.errors import JostleError
from jostle.reader import ReadResult
from jostle.reader.follow import FollowedSlices, follow_profiles
from jostle.reader.native import IS_FOLLOWED
from jostle.repository.errors import ConflictError
from jostle.repository.ingest.followed import Followed, NewProfile
from jostle.repository.ingest.plan import ROW_EVERY_NS
from jostle.repository.ingest.spool import (
    AHEAD_NS,
    MAX_LIFE_NS,
    MAX_SLICES,
    YEAR_2000_NS,
    HeaderPeek,
)
from jostle.repository.store.file_days import File
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import SILENT_NS, SILENT_SLICES, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change
from jostle.repository.store.tables import (
    Ints,
    PartitionChunk,
    ProcessSource,
    SliceBatch,
    ends,
    partition_chunks,
)
from jostle.repository.types import IngestReport

_MOST = 8192  # profiles in one commit
_NEWEST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class FollowedPlan:
    """The content of one commit: the new slices of some profiles.

    Attributes:
        places: Places of the profiles.
        files: The profiles as they are now.
        taken: Whether the new slices of a profile are ingested.
        steps: Whether a profile's position advances.
        with_row: Whether its process gets a new row.
        last: The last slice of each process.
    """

    places: Ints
    files: NDArray[np.void]
    taken: NDArray[np.bool_]
    steps: NDArray[np.bool_]
    with_row: NDArray[np.bool_]
    last: Ints


def _spans(slices: FollowedSlices, count: int) -> tuple[Ints, Ints]:
    """Return the first and last slice of each profile; the last is smaller without slices."""
    first = np.full(count, _NEWEST, dtype=np.int64)
    last = np.full(count, -1, dtype=np.int64)
    rows = slices.slices
    if rows.num_rows:
        process = rows.column("process").to_numpy()
        number = rows.column("slice").to_numpy()
        after = ends(number, rows.column("span").to_numpy())
        begin = np.flatnonzero(np.diff(process, prepend=-1))
        first[process[begin]] = np.minimum.reduceat(number, begin)
        last[process[begin]] = np.maximum.reduceat(after, begin) - 1
    return first, last


def plan_followed(
    followed: Followed, places: Ints, files: NDArray[np.void], slices: FollowedSlices, now_ns: int
) -> FollowedPlan:
    """Decide which profiles only grew, and what a commit must contain.

    Args:
        followed: The followed profiles.
        places: Places of those that were read.
        files: Results of the decoder.
        slices: Their new slices.
        now_ns: The time when they were read.
    """
    before, facts = followed.files[places], followed.facts[places]
    slice_ns = facts["slice_ns"]
    first, last = _spans(slices, len(places))
    has_rows = files["slices"] > 0
    # Times beyond int64 come from damage; then the profile counts as silent or as implausible.
    heartbeat = np.minimum(files["heartbeat_ns"], np.uint64(_NEWEST)).astype(np.int64)
    heard = np.maximum(heartbeat, facts["file_ns"])
    plausible = (
        (np.minimum(first, facts["first_slice"]) > YEAR_2000_NS // slice_ns)
        & (last < (now_ns + AHEAD_NS) // slice_ns)
        & (last - facts["first_slice"] < np.minimum(MAX_LIFE_NS // slice_ns, MAX_SLICES) - 2)
        & (first >= facts["first_slice"])
        & (now_ns >= facts["start_ns"])
        & (files["lost_threads"] <= np.uint64(_NEWEST))
    )
    # A process here that shows no sign of life may have ended: the normal ingest finds out.
    silent = now_ns - heard > SILENT_NS + SILENT_SLICES * slice_ns
    # The runtime writes the time of a heartbeat at most once a second.
    stopped = (files["heartbeat_ns"] <= before["heartbeat_ns"]) & (now_ns - heard > 2 * 10**9)
    taken = (files["status"] == IS_FOLLOWED) & plausible
    taken &= facts["sent"] | ~(silent | stopped)
    seen = np.minimum(heard, now_ns) // slice_ns
    last = np.maximum.reduce([last, facts["row_slice"], facts["first_slice"], seen])
    with_row = taken & ((last - facts["row_slice"]) * slice_ns >= ROW_EVERY_NS)
    return FollowedPlan(places, files, taken, taken & (has_rows | with_row), with_row, last)


def _chunks(
    followed: Followed, plan: FollowedPlan, slices: FollowedSlices, horizon_ns: int
) -> Iterator[PartitionChunk]:
    """Yield the rows of all tables."""
    index = np.where(plan.taken, np.arange(len(plan.places)), -1)
    batch = SliceBatch([], index, slices.slices, slices.mount_slices, slices.bits)
    yield from partition_chunks(batch, horizon_ns, followed.ranks(plan.places))
    if plan.with_row.any():
        yield PartitionChunk("processes", _process_rows(followed, plan), 0, 0)


def _process_rows(followed: Followed, plan: FollowedPlan) -> pa.Table:
    places, files = plan.places[plan.with_row], plan.files[plan.with_row]
    facts, rows = followed.facts[places], followed.rows(places)
    changed = {
        "complete": np.zeros(len(places), dtype=np.bool_),
        "last_slice": plan.last[plan.with_row],
        "records": files["record"],
        "clock_state": np.maximum(facts["clock_state"], files["clock_state"]),
        "clock_error_us": np.maximum(facts["clock_error_us"], files["clock_error_us"]),
        "lost_threads": files["lost_threads"],
        "revision": facts["revision"] + 1,
    }
    for name, values in changed.items():
        at = rows.schema.get_field_index(name)
        kind = rows.schema.field(at).type
        column = values if kind == pa.bool_() else values.astype(np.int64)
        rows = rows.set_column(at, name, pa.array(column, kind))
    return rows


def _advance(followed: Followed, plan: FollowedPlan) -> dict[int, tuple[Position, Reached]]:
    """Return the position of each profile before and after the commit, as Change.advance."""
    places, files = plan.places[plan.steps], plan.files[plan.steps]
    facts, before = followed.facts[places], followed.files[places]
    row_slice = np.where(plan.with_row, plan.last, followed.facts["row_slice"][plan.places])
    columns = (
        facts["process"],
        before["record"],
        files["record"],
        facts["revision"],
        facts["row_slice"],
        row_slice[plan.steps],
        facts["entries"],
    )
    return {
        process: (
            Position(records, revision, row, entries),
            Position(to_records, revision + 1, to_row, entries),
        )
        for process, records, to_records, revision, row, to_row, entries in zip(
            *(column.tolist() for column in columns), strict=True
        )
    }


def _report(files: Sequence[File], changed: int) -> IngestReport:
    """Return the numbers of the commit that published `files`."""
    rows = dict.fromkeys(TABLES, 0)
    for file in files:
        rows[file.table] += file.rows
    return IngestReport(
        changed=changed,
        slices=rows["slices"],
        mount_slices=rows["mount_slices"],
        commits=1,
        bytes_written=sum(file.bytes for file in files),
    )


class FollowedPass:
    """Ingests followed profiles into one repository."""

    def __init__(self, root: Path, log: Log, guard: threading.Lock) -> None:
        """Create the object, which follows no profile yet.

        Args:
            root: Folder of the repository.
            log: Commit log of the repository, used while `guard` is held.
            guard: Lock of this log.
        """
        self._root, self._log, self._guard = root, log, guard
        self.followed = Followed()
        self._adding = threading.Lock()

    def add(
        self,
        items: Sequence[HeaderPeek],
        results: Sequence[ReadResult],
        running: Mapping[int, tuple[ProcessSource, Position]],
    ) -> None:
        """Follow profiles of running processes from the next pass on.

        Args:
            items: Profiles that the normal ingest has just published.
            results: Results of reading them.
            running: By number: the running processes, and the positions of their profiles.
        """
        new = [
            NewProfile(item.path, item.origin, result, *running[result.request.process])
            for item, result in zip(items, results, strict=True)
            if result.request.process in running
            and not (item.final or item.segments or item.names > 1)
        ]
        with self._adding:  # batches are published in several threads
            self.followed.add(new)

    def run(self, places: Iterable[int], max_rows: int) -> tuple[IngestReport, list[int]]:
        """Ingest the new slices of followed profiles.

        Args:
            places: Places of the profiles that are there.
            max_rows: Most rows of one commit.

        Returns:
            The report, and the places of those profiles that the normal ingest must read.
        """
        report, left = IngestReport(), []
        todo = np.fromiter(places, dtype=np.int64)
        for at in range(0, len(todo), _MOST):
            some = todo[at : at + _MOST]
            try:
                left += self._some(some, max_rows, report)
            except ConflictError:  # another ingester took some of the profiles
                left += some.tolist()
            except (JostleError, OSError, MemoryError):  # of the repository or the machine
                raise
            # RATIONALE: an error that one file causes must not stop others: the normal ingest finds
            # out which file it is.
            except Exception:
                left += some.tolist()
        return report, left

    def _some(self, places: Ints, max_rows: int, report: IngestReport) -> list[int]:
        followed = self.followed
        with self._guard:
            horizon_ns = self._log.refresh().horizon_ns
        files, now_ns = followed.files[places], time.time_ns()
        slices = follow_profiles(followed.tables, followed.paths, files, max_rows)
        plan = plan_followed(followed, places, files, slices, now_ns)
        if plan.steps.any():
            written = write_chunks(self._root, _chunks(followed, plan, slices, horizon_ns))
            change = Change("ingest", add=written, advance=_advance(followed, plan))
            with self._guard:
                publish(self._root, self._log, change)
            report.add(_report(written, int(plan.steps.sum())))
        taken = places[plan.taken]
        followed.files[taken] = files[plan.taken]
        moved, renewed = places[plan.steps], places[plan.with_row]
        followed.facts["revision"][moved] += 1
        followed.facts["row_slice"][renewed] = plan.last[plan.with_row]
        left: list[int] = places[~plan.taken].tolist()
        return left
