"""Writes running jobs: slices are published as they end, as by an ingester that follows them."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.maintenance.compact import compact
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk

LIVE_JOBS, SLICE_NS = 4, 2 * 10**9
_TIDY_EVERY = 30  # commits


class Writer:
    """Writes jobs of four processes on one node each, which share a mount.

    Attributes:
        jobs: Their names.
    """

    def __init__(self, path: Path) -> None:
        """Make the repository, with the jobs' first slices."""
        Repository(path, create=True)
        self.jobs = [f"live-{number}" for number in range(LIVE_JOBS)]
        self._path = path
        self._log = Log(path)
        self._next = time.time_ns() // SLICE_NS - 60
        self._commits = 0
        self._publish([self._processes(self._next)])
        self.write()

    def write(self) -> None:
        """Publish all slices that have ended."""
        end = time.time_ns() // SLICE_NS
        slices = range(self._next, end)
        if not slices:
            return
        self._next = end
        rows = [
            {
                "job": job,
                "host": f"node{number}",
                "mount": "nfs:server:/shared",
                "slice": each,
                "slice_ns": SLICE_NS,
                "count": 4,
                "posix_write_bytes_sum": 1_000_000 + each % 7,
                "posix_write_ops_sum": 10,
                "posix_write_ns_sum": 10_000_000 + each % 1000,
                "os_user_ns_sum": SLICE_NS,
            }
            for number, job in enumerate(self.jobs)
            for each in slices
        ]
        span = slices.start * SLICE_NS, slices.stop * SLICE_NS
        self._publish([_piece(name, rows, span) for name in ("rollup", "node_rollup")])

    def _publish(self, pieces: list[PartitionChunk]) -> None:
        publish(self._path, self._log, Change("ingest", add=write_chunks(self._path, pieces)))
        self._commits += 1
        if self._commits % _TIDY_EVERY == 0:
            compact(self._path, small_bytes=4 << 20, at_least=32)

    def _processes(self, first: int) -> PartitionChunk:
        rows = [
            {
                "process": 1000 + number,
                "job": job,
                "host": f"node{number}",
                "pid": 1,
                "uid": 60000,
                "part": 0,
                "program": "/bin/solver",
                "slice_ns": SLICE_NS,
                "boot_id": "b",
                "start_ns": first * SLICE_NS,
                "end_ns": 0,
                "complete": False,
                "short": False,
                "first_slice": first,
                "last_slice": first,
                "records": 1,
                "revision": 1,
            }
            for number, job in enumerate(self.jobs)
        ]
        return _piece("processes", rows, (0, 0))


def _piece(name: str, rows: list[dict], span: tuple[int, int]) -> PartitionChunk:
    kinds = {**TABLES[name].keys, **TABLES[name].values}
    used = [column for column in kinds if column in rows[0] or column in TABLES[name].keys]
    content = {
        column: pa.array([row.get(column) for row in rows], kinds[column]) for column in used
    }
    return PartitionChunk(name, pa.table(content), *span)
