"""Converts a Darshan log into rows of the repository's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.imports.darshan.cells import Cells
from jostle.imports.darshan.files import file_rows
from jostle.imports.darshan.grid import Grid, grid_of
from jostle.imports.darshan.metrics import divided, mpiio, sizes
from jostle.imports.darshan.model import Counted, DarshanLog, Ints
from jostle.imports.darshan.mounts import KnownMounts, LogMounts, identity, mounts_of, shared
from jostle.imports.darshan.traffic import Traffic, traffic_of
from jostle.names.basis import basis_of, basis_words
from jostle.names.identity import script_of
from jostle.repository.store.layout import TABLES, process_id
from jostle.repository.store.tables import MAX_VALUE, ProcessSource
from jostle.schema.metrics import HIST_BUCKETS

SOURCE = "darshan"


@dataclass(frozen=True)
class JobIdentity:
    """Identity of the job of a log in a repository.

    Attributes:
        job: Name of the job in the repository.
        owner: Uid of its owner.
        digest: Digest of the log's content, hexadecimal; equal for copies.
        known: Identities of shared mounts in profiles.
    """

    job: str
    owner: int
    digest: str
    known: KnownMounts

    @property
    def log_id(self) -> int:
        """The id under which the repository knows the log: that of the process of rank 0."""
        return rank_id(self.digest, 0)


@dataclass(frozen=True)
class LogRows:
    """The rows of one log.

    Attributes:
        sources: Processes of the log, one per rank.
        processes: Rows of table processes.
        mounts: Rows of table mounts.
        slices: Columns of SliceBatch.slices; `process` counts from 0.
        mount_slices: Columns of SliceBatch.mount_slices.
        files: Rows of table files; `process` counts from 0, `slot` is the number of a mount.
        basis: Value of column `basis` (source of the times).
        end_ns: End of the job, ns since the epoch.
    """

    sources: list[ProcessSource]
    processes: pa.Table
    mounts: list[dict[str, Any]]
    slices: pa.Table
    mount_slices: pa.Table
    files: pa.Table
    basis: str
    end_ns: int

    @property
    def count(self) -> int:
        """The approximate number of the log's rows."""
        tables = (self.slices, self.mount_slices, self.files)
        return sum(int(table.num_rows) for table in tables) + len(self.sources)


def rank_id(digest: str, rank: int) -> int:
    """Return the id of the process of one rank in the log with a digest."""
    key: int = process_id(None, f"{SOURCE}:{digest}", rank, 0, 0)
    return key


def rows_of(log: DarshanLog, who: JobIdentity) -> LogRows:
    """Return the rows of a log.

    Args:
        log: The log.
        who: The job's identity.
    """
    grid, mounts = grid_of(log), mounts_of(log)
    traffic = traffic_of(log, mounts.of, len(mounts.paths), grid)
    keys, values = traffic.cells.columns()
    used = sorted(set(keys["mount"].tolist()))
    sources, mount_rows = _sources(log, who, grid, mounts, used)
    basis = f"{SOURCE}:{traffic.resolution}"
    notes = [basis_words(basis_of(basis), log.clock_error_us), *log.notes, *_notes(log, traffic)]
    return LogRows(
        sources,
        _processes(log, who, grid, sources, basis, notes),
        mount_rows,
        _slices(log, grid, traffic),
        pa.table(
            {
                "process": keys["rank"],
                "slice": keys["slice"] + grid.first,
                "span": keys["span"],
                "slot": keys["mount"],
                **values,
            }
        ),
        file_rows(log, mounts),
        basis,
        log.end_ns,
    )


def _notes(log: DarshanLog, traffic: Traffic) -> list[str]:
    notes = []
    if traffic.evenly:
        notes.append(
            "Files that all processes share were counted together, so their traffic is divided "
            "evenly among processes, whoever caused it."
        )
    if traffic.together > 1:
        notes.append(
            f"The traffic of each {traffic.together} neighbouring ranks is stored with the first "
            "of them."
        )
    if traffic.untraced:
        percent = max(round(100 * traffic.untraced), 1)
        notes.append(
            f"The trace lacks {percent} % of the bytes, so it is not used where it is incomplete."
        )
    if len(log.hosts) < log.processes:
        notes.append("The log does not know the nodes of all processes.")
    return notes


def _sources(
    log: DarshanLog, who: JobIdentity, grid: Grid, mounts: LogMounts, used: Sequence[int]
) -> tuple[list[ProcessSource], list[dict[str, Any]]]:
    """Return the processes of a log, and rows of table mounts for the mounts that they used."""
    by_host: dict[str, list[str]] = {}
    rows = []
    for host in sorted({log.hosts.get(rank, "") for rank in range(log.processes)}):
        names = []
        for number, (path, kind) in enumerate(mounts.paths):
            names.append(identity(path, kind, host, who.job, who.known))
            if number in used:
                rows.append(
                    {
                        "job": who.job,
                        "host": host,
                        "mount": names[-1],
                        "path": path,
                        "type": kind,
                        "source": path if shared(kind) else "",
                        "major": 0,
                        "minor": 0,
                        "shared": shared(kind),
                    }
                )
        by_host[host] = names
    sources = []
    for rank in range(log.processes):
        host = log.hosts.get(rank, "")
        key = rank_id(who.digest, rank)
        names, end = by_host[host], {"end_ns": log.end_ns}
        sources.append(ProcessSource(key, who.job, host, grid.slice_ns, names, end))
    return sources, rows


def _processes(
    log: DarshanLog,
    who: JobIdentity,
    grid: Grid,
    sources: Sequence[ProcessSource],
    basis: str,
    notes: Sequence[str],
) -> pa.Table:
    """Return rows of table processes, which differ only in id, node and rank."""
    number = log.processes
    words = log.exe.split()
    name = PurePosixPath(words[0]).name if words else ""
    same = {
        "job": who.job,
        "boot_id": f"{SOURCE}:{who.digest}",
        "ppid": 0,
        "sid": 0,
        "uid": who.owner,
        "gid": who.owner,
        "part": 0,
        "program": name or "?",
        "command": log.exe,
        "library": f"darshan {log.version}".strip(),
        "slice_ns": grid.slice_ns,
        "start_ns": log.start_ns,
        "end_ns": log.end_ns,
        "end_reason": "exit",
        "complete": True,
        "short": False,
        "first_slice": grid.first,
        "last_slice": grid.first + grid.count - 1,
        "records": 1,
        "clock_state": 0,
        "clock_error_us": log.clock_error_us,
        "clock_steps": 0,
        "lost_threads": 0,
        "revision": 1,
        "script": script_of(name, words) if words else "",
        "batch": who.job.partition("-w")[0],
        "basis": basis,
    }
    own: dict[str, Any] = {
        "process": [source.process for source in sources],
        "host": [source.host for source in sources],
        "pid": np.arange(number),
        "notes": [list(notes), *[[] for _ in range(number - 1)]],
        "warnings": [[] for _ in range(number)],
    }
    columns = {}
    for name, kind in TABLES["processes"].keys.items():
        if name in own:
            columns[name] = pa.array(own[name], kind)
        elif name in same:
            columns[name] = pa.repeat(pa.scalar(same[name], kind), number)
        else:
            columns[name] = pa.nulls(number, kind)
    return pa.table(columns)


def _slices(log: DarshanLog, grid: Grid, traffic: Traffic) -> pa.Table:
    """Return the values that are known for the whole run only, one row per active process."""
    processes = log.processes
    found: dict[str, Ints] = {}
    posix, collective = log.counted.get("POSIX"), log.counted.get("MPI-IO")
    histograms = {}
    if posix is not None:
        for way in ("read", "write"):
            counts = _per_rank(posix, sizes(posix, way), processes)
            if counts.any():
                histograms[f"posix_{way}_size"] = counts
    inside = np.zeros(processes, dtype=np.int64)
    if collective is not None:
        for name, column in mpiio(collective).items():
            found[name] = _per_rank(collective, column[:, None], processes)[:, 0]
            inside += found[name] if name.endswith("_ns") else 0
        found["state_mpiio_ns"] = inside.copy()
    in_files = _time_in_files(traffic.cells, processes)
    found["state_io_ns"] = (in_files - inside).clip(0)
    some = np.any([column != 0 for column in found.values()], axis=0)
    for counts in histograms.values():
        some |= counts.any(axis=1)
    rank = np.flatnonzero(some)
    columns: dict[str, Any] = {
        "process": rank,
        "slice": np.full(len(rank), grid.first),
        "span": np.full(len(rank), grid.count),
    }
    columns |= {name: column[rank].clip(0, MAX_VALUE) for name, column in found.items()}
    columns |= {
        name: pa.FixedSizeListArray.from_arrays(pa.array(counts[rank].ravel()), HIST_BUCKETS)
        for name, counts in histograms.items()
    }
    return pa.table(columns)


def _time_in_files(cells: Cells, processes: int) -> Ints:
    total = np.zeros(processes, dtype=np.int64)
    for (rank, _, _, _), values in zip(cells.keys, cells.values, strict=True):
        for name, column in values.items():
            if name.endswith("_ns"):
                np.add.at(total, rank, column)
    return total


def _per_rank(records: Counted, values: Ints, processes: int) -> Ints:
    """Add up columns by rank; a record of a file that all ranks share is divided among them."""
    result = np.zeros((processes, values.shape[1]), dtype=np.int64)
    own = records.rank >= 0
    np.add.at(result, records.rank[own], values[own])
    common = values[~own].sum(axis=0)
    if common.any():
        result += divided(common, np.ones((len(common), processes))).T
    return result


def joined(rows: Sequence[LogRows]) -> Mapping[str, pa.Table]:
    """Concatenate the rows of several logs; processes are numbered consecutively."""
    offset = 0
    tables: dict[str, list[pa.Table]] = {"slices": [], "mount_slices": [], "files": []}
    for each in rows:
        for name, parts in tables.items():
            part: pa.Table = getattr(each, name)
            at = part.schema.get_field_index("process")
            parts.append(
                part.set_column(at, "process", pa.array(part["process"].to_numpy() + offset))
            )
        offset += len(each.sources)
    return {name: pa.concat_tables(_with_all_columns(parts)) for name, parts in tables.items()}


def _with_all_columns(parts: Sequence[pa.Table]) -> list[pa.Table]:
    """Return the tables with the same columns in the same order; added columns are 0."""
    fields = {field.name: field for part in parts for field in part.schema}
    full = []
    for part in parts:
        there = set(part.column_names)
        columns = {
            name: part[name] if name in there else _zeros(field.type, part.num_rows)
            for name, field in fields.items()
        }
        full.append(pa.table(columns, schema=pa.schema(list(fields.values()))))
    return full


def _zeros(kind: pa.DataType, number: int) -> pa.Array:
    if not pa.types.is_fixed_size_list(kind):
        return pa.array(np.zeros(number, dtype=np.int64))
    values = pa.array(np.zeros(number * HIST_BUCKETS, dtype=np.int64))
    return pa.FixedSizeListArray.from_arrays(values, HIST_BUCKETS)
