"""Writes the spools of a simulated site's nodes: profiles that grow as the runtime's would."""

from __future__ import annotations

import os
import struct
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jostle.repository.writing import GAUGE_IDS
from jostle.schema.metrics import MOUNT_SLOTS
from jostle.schema.profile import (
    END_REASONS,
    HEAD,
    HEAD_BYTES,
    MAGIC,
    MOUNT_SLOT,
    MOUNTS_AT,
    Head,
    MpiState,
)
from jostle_lab.synthetic.injected.rows import mount_of
from jostle_lab.synthetic.site.block import Block
from jostle_lab.synthetic.site.course import Interval
from jostle_lab.synthetic.site.encode import cell_of, layout, record, slice_records, text, varint
from jostle_lab.synthetic.site.processes import HOME, Ranks, boot_id, host_name, job_name, scratch
from jostle_lab.synthetic.site.run import SiteRun
from jostle_lab.synthetic.site.spec import SiteSpec
from jostle_lab.synthetic.site.tables import VERSION, executable, mpi_facts

Ints = NDArray[np.int64]
_GENERATION_AT, _HEARTBEAT_AT = 2048, 2064
_MPI_STATE_AT, _MPI_FINALIZE_AT = 1152, 1200
#: Offsets of the header's fields that differ between the processes of a job.
_AT = {"pid": 96, "boot_id": 128, "world_rank": 1164}
_ALIGN = 64
_MAGIC_NUMBERS = {"lustre": 0x0BD00BD0, "nfs4": 0x6969}


@dataclass(frozen=True)
class Step:
    """The data that a step of simulated time added to the spools.

    Attributes:
        now_ns: The end of the interval, CLOCK_REALTIME.
        process_slices: Number of process-slices that were appended in the step.
        started: Names of jobs that began.
        ended: Names of jobs that ended.
    """

    now_ns: int
    process_slices: int
    started: tuple[str, ...]
    ended: tuple[str, ...]


def spool_steps(spec: SiteSpec, folder: Path | str, step_s: float = 60.0) -> Iterator[Step]:
    """Simulate a site; each step appends to its nodes' spools what they wrote in an interval.

    With the same interval as `spec.commit_s` the profiles hold what `simulate_site` writes into a
    repository.

    Args:
        spec: Specification of the site.
        folder: Folder for the spools; each node has a folder of its name in it.
        step_s: Length of an interval, s; at the end of an hour it is shorter if need be.

    Yields:
        The added data, interval by interval.
    """
    writer = SpoolWriter(Path(folder), replace(spec, commit_s=step_s))
    for interval in writer.course.run():
        yield writer.add(interval)


@dataclass
class _Open:
    """The growing files of a job's processes.

    Attributes:
        paths: File of each rank.
        ends: Offset of the end of each file's records.
        generation: Generation number of the files' newest commit.
        levels: Latest value of each gauge, (ranks,).
    """

    paths: list[Path]
    ends: list[int]
    generation: int
    levels: dict[str, Ints]


class SpoolWriter(SiteRun):
    """Writes a site's profiles."""

    def __init__(self, folder: Path, spec: SiteSpec) -> None:
        super().__init__(spec)
        self._folder = folder
        self._open: dict[int, _Open] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, interval: Interval) -> Step:
        """Append the slices of an interval."""
        spec, before = self.spec, self.process_slices
        made = self.begin(interval)
        for job in interval.started:
            self._create(self.ranks[job])
        open_slice = spec.first_slice + interval.first + interval.count
        for block in made:
            self._append(block, open_slice)
        for job in interval.ended:
            self._end(job)
            del self.ranks[job], self._open[job]
        return Step(
            open_slice * spec.slice_ns,
            self.process_slices - before,
            tuple(map(job_name, interval.started)),
            tuple(map(job_name, interval.ended)),
        )

    def _create(self, ranks: Ranks) -> None:
        """Make the files of a job's processes, with their mounts and no slices."""
        name, mount = job_name(ranks.job), int(self.jobs.mount[ranks.job])
        mounts = ((50 + 2 * mount, scratch(mount)), (50 + HOME, mount_of(HOME)))
        body = b"".join(_mount_record(slot, minor, *of) for slot, (minor, of) in enumerate(mounts))
        template = _head(self.spec, ranks)
        for slot, (minor, (_, kind, _)) in enumerate(mounts):
            at = MOUNTS_AT + slot * MOUNT_SLOT.size
            MOUNT_SLOT.pack_into(template, at, 0, minor, _MAGIC_NUMBERS[kind], 30 + slot, 1)
        commit = struct.pack("<2Q", len(template) + len(body), ranks.start_ns // self.spec.slice_ns)
        template[HEAD_BYTES : HEAD_BYTES + len(commit)] = commit
        paths, boots = [], {}
        each = zip(ranks.nodes.tolist(), ranks.boots.tolist(), ranks.pids.tolist(), strict=True)
        for rank, (node, boot, pid) in enumerate(each):
            if node not in boots:
                boots[node] = uuid.UUID(boot_id(self.spec, node, boot)).bytes
                (self._folder / host_name(node)).mkdir(exist_ok=True)
            head = bytearray(template)
            struct.pack_into("<I", head, _AT["pid"], pid)
            struct.pack_into("<I", head, _AT["world_rank"], rank * ranks.program.mpi)
            struct.pack_into("<16s64s", head, _AT["boot_id"], boots[node], host_name(node).encode())
            path = self._folder / host_name(node) / f"{name}.{pid}.{ranks.start_ns}.jst"
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.pwrite(fd, head + body, 0)
            os.close(fd)
            paths.append(path)
        self._open[ranks.job] = _Open(paths, [len(template) + len(body)] * len(paths), 0, {})

    def _append(self, block: Block, open_slice: int) -> None:
        """Append the rows of a block to the profiles of their processes, and commit them."""
        by = np.lexsort((block.slice, block.place))
        place = block.place[by]
        data, begins = slice_records(self._cells(block, by, place), len(block))
        edges = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
        ends = np.append(edges[1:], len(place))
        files = [
            (self._open[ranks.job], rank) for ranks in block.ranks for rank in range(len(ranks))
        ]
        heartbeat = struct.pack("<Q", open_slice * self.spec.slice_ns)
        for number, first, last in zip(
            place[edges].tolist(), begins[edges].tolist(), begins[ends].tolist(), strict=True
        ):
            of, rank = files[number]
            fd = os.open(of.paths[rank], os.O_WRONLY)
            os.pwrite(fd, data[first:last], of.ends[rank])
            of.ends[rank] += last - first
            # First the commit, which is not valid yet, and then the word that makes it valid.
            at = HEAD_BYTES + (of.generation + 1 & 1) * _commit_bytes()
            os.pwrite(fd, struct.pack("<2Q", of.ends[rank], open_slice), at)
            os.pwrite(fd, struct.pack("<Q", of.generation + 1), _GENERATION_AT)
            os.pwrite(fd, heartbeat, _HEARTBEAT_AT)
            os.close(fd)
        for ranks in block.ranks:
            self._open[ranks.job].generation += 1

    def _cells(self, block: Block, by: Ints, place: Ints) -> dict[int, tuple[Ints, Ints]]:
        """Return, for each cell (counter), the records in which it changed, and by how much."""
        cells: dict[int, tuple[Ints, Ints]] = {}
        for name, column in block.metrics.items():
            values = column[by]
            if name in GAUGE_IDS:
                values = self._changes(block, name, values, place)
            rows = np.flatnonzero(values)
            if len(rows):
                cells[cell_of(name)] = (rows, values[rows])
        position = np.empty(len(block), np.int64)
        position[by] = np.arange(len(block))
        for slot, (where, metrics) in enumerate(
            ((block.scratch, block.scratch_metrics), (block.home, block.home_metrics))
        ):
            for name, values in metrics.items():
                some = values != 0
                rows = position[where[some]]
                if len(rows):
                    order = np.argsort(rows)
                    cells[cell_of(name, slot)] = (rows[order], values[some][order])
        return cells

    def _changes(self, block: Block, name: str, values: Ints, place: Ints) -> Ints:
        """Return the change of a gauge in each row since the previous record of its process."""
        before = np.concatenate(
            [
                self._open[ranks.job].levels.get(name, np.zeros(len(ranks), np.int64))
                for ranks in block.ranks
            ]
        )
        fresh = np.append(True, place[1:] != place[:-1])
        changes = values - np.where(fresh, before[place], np.append(0, values[:-1]))
        before[place] = values  # of several rows of a process the last one counts
        first = 0
        for ranks in block.ranks:
            self._open[ranks.job].levels[name] = before[first : first + len(ranks)]
            first += len(ranks)
        return changes

    def _end(self, job: int) -> None:
        """Write the end of a job's processes into their profiles' headers."""
        ranks = self.ranks[job]
        end_ns, reason = self.end_of(job)
        for path in self._open[job].paths:
            fd = os.open(path, os.O_WRONLY)
            if reason == "killed":  # no process was left to write an end
                os.pwrite(fd, struct.pack("<Q", end_ns), _HEARTBEAT_AT)
                os.close(fd)
                continue
            if ranks.program.mpi:
                os.pwrite(fd, struct.pack("<I", MpiState.FINALISED), _MPI_STATE_AT)
                os.pwrite(fd, struct.pack("<2Q", end_ns, end_ns), _MPI_FINALIZE_AT)
            os.pwrite(
                fd, struct.pack("<2QI", end_ns, end_ns, END_REASONS.index(reason)), _HEARTBEAT_AT
            )
            os.close(fd)


def _up(number: int) -> int:
    return -(-number // _ALIGN) * _ALIGN


def _commit_bytes() -> int:
    return _up(16 + 8 * layout().count)


def _head(spec: SiteSpec, ranks: Ranks) -> bytearray:
    """Return the header of the profiles of a job's processes: all counters are zero."""
    known, commit = layout(), _commit_bytes()
    table = HEAD_BYTES + 2 * commit
    block = _up(table + len(known.text))
    size = block + _up(64 + 8 * known.count)
    zero = Head._make(HEAD.unpack(bytes(HEAD.size)))._asdict()
    program = ranks.program
    facts = {
        key: value.encode() if isinstance(value, str) else int(value)
        for key, value in mpi_facts(spec, ranks, 0).items()
    }
    given = {
        "magic": MAGIC,
        "version": 1,
        "head_bytes": size,
        "cell_count": known.count,
        "block_offset": block,
        "block_bytes": size - block,
        "block_capacity": 1,
        "table_offset": table,
        "table_bytes": len(known.text),
        "commit_offset": HEAD_BYTES,
        "commit_bytes": commit,
        "table_crc": zlib.crc32(known.text),
        "mount_slots": MOUNT_SLOTS,
        "mount_stride": known.stride,
        "slice_ns": spec.slice_ns,
        "start_ns": ranks.start_ns,
        "file_ns": ranks.start_ns,
        "first_slice": ranks.start_ns // spec.slice_ns,
        "ppid": 1,
        "uid": os.getuid(),
        "gid": os.getgid(),
        "sid": int(ranks.pids[0]),
        "job": job_name(ranks.job).encode(),
        "program": executable(ranks).encode(),
        "command": executable(ranks).encode(),
        "library": VERSION.encode(),
        "start_clock_error_us": 200,
        "clock_error_us": 200,
        "script": program.script.encode(),
        "tick_ns": 1 << 32,
        "blocks_used": 1,
        "heartbeat_ns": ranks.start_ns,
        **facts,
    }
    head = bytearray(size)
    head[: HEAD.size] = HEAD.pack(*{**zero, **given}.values())
    head[table : table + len(known.text)] = known.text
    return head


def _mount_record(slot: int, minor: int, path: str, kind: str, source: str) -> bytes:
    numbers = b"".join(map(varint, (slot, 0, minor, 30 + slot, _MAGIC_NUMBERS[kind])))
    return record("M", numbers + text(path) + text(kind) + text(source))
