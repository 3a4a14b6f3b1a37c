"""The content of one Darshan log, whose numbers are all checked since logs are untrusted."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.imports.darshan.message import Arrays
from jostle.repository.store.tables import MAX_VALUE
from jostle.values.plain_values import one_line

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Ids = NDArray[np.uint64]

_NS = 1_000_000_000
_YEAR_2000_S = 946_684_800
_LONGEST_S = 3 * 366 * 86_400
_AHEAD_S = 86_400
_MOST_PROCESSES = 1 << 20
_MOST_TEXT = 4096
_NOBODY = 65534
#: Record ids of the heat maps of each interface, where names are anonymised.
_HEAT_IDS = {
    16592106915301738621: "POSIX",
    3989511027826779520: "STDIO",
    3668870418325792824: "MPIIO",
}
#: Record ids of the standard streams: their names are anonymised, too.
STREAM_IDS = frozenset({14734109647742566553, 15920181672442173319, 7238257241479193519})


class UnusableLogError(ValueError):
    """A log has impossible values; the message is the reason, a part of a sentence."""


@dataclass(frozen=True)
class Counted:
    """The records of one interface, one per file and rank; rank -1: all ranks together.

    Attributes:
        id: Id of the file, per record.
        rank: Rank, per record.
        counters: Counters by name, per record; never negative.
        seconds: Durations, and instants since the start of the job, by name, per record, s.
        partial: Whether Darshan ran out of memory, so that some files have no record.
    """

    id: Ids
    rank: Ints
    counters: Mapping[str, Ints]
    seconds: Mapping[str, Floats]
    partial: bool = False

    def of(self, name: str) -> Ints:
        """Return a counter, 0 where the log's version has none."""
        found = self.counters.get(name)
        return np.zeros(len(self.id), dtype=np.int64) if found is None else found

    def time(self, name: str) -> Floats:
        """Return a time, 0 where the log's version has none."""
        found = self.seconds.get(name)
        return np.zeros(len(self.id)) if found is None else found


@dataclass(frozen=True)
class HeatMap:
    """Bytes that ranks read and wrote by one interface (such as POSIX), in bins of equal width.

    The first bin begins at the start of the job.

    Attributes:
        rank: Rank, per row.
        width_ns: Width of a bin, in ns.
        read: Bytes read, [rows, bins].
        write: Bytes written, [rows, bins].
    """

    rank: Ints
    width_ns: int
    read: Ints
    write: Ints


@dataclass(frozen=True)
class Operations:
    """Traced operations, one entry each.

    Attributes:
        id: Id of the file.
        rank: Rank that did the operation.
        is_write: Whether it was a write.
        length: Number of bytes.
        begin_ns: Start of the operation since the start of the job, in ns.
        end_ns: End of the operation since the start of the job, in ns.
        partial: Whether Darshan ran out of memory, so that some operations are missing.
    """

    id: Ids
    rank: Ints
    is_write: NDArray[np.bool_]
    length: Ints
    begin_ns: Ints
    end_ns: Ints
    partial: bool


@dataclass(frozen=True)
class Targets:
    """The storage targets of files, one entry per file and target.

    Attributes:
        id: Id of the file.
        target: Number of the target.
    """

    id: Ids
    target: Ints


@dataclass(frozen=True)
class DarshanLog:
    """The content of one log.

    Attributes:
        uid: Uid of the job's user.
        job_id: Number of the batch job; for a run outside of a batch job, that of a process.
        processes: Number of processes.
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job, ns since the epoch; later than its start.
        clock_error_us: Largest error of the log's times because of their precision, µs.
        exe: Program and arguments.
        version: Version of the runtime that wrote the log.
        mounts: Path and type of each file system; a file belongs to the first with a matching path.
        counted: Records by interface: POSIX, STDIO, MPI-IO.
        heat: Heat maps by interface: POSIX, STDIO.
        operations: Traced operations; None: none were traced.
        targets: Storage targets of files on Lustre.
        names: Names of files by id.
        formats: Ids of the files of each format.
        hosts: Nodes of the ranks whose node is known.
        file: Owner (uid) and size, bytes, of the file that was read.
        notes: Notes for users, one sentence each.
    """

    uid: int
    job_id: int
    processes: int
    start_ns: int
    end_ns: int
    clock_error_us: int
    exe: str
    version: str
    mounts: Sequence[tuple[str, str]]
    counted: Mapping[str, Counted]
    heat: Mapping[str, HeatMap]
    operations: Operations | None
    targets: Targets
    names: Mapping[int, str]
    formats: Mapping[str, frozenset[int]]
    hosts: Mapping[int, str]
    file: tuple[int, int]
    notes: list[str] = field(default_factory=list)

    @property
    def run_ns(self) -> int:
        """Length of the run, in ns."""
        return self.end_ns - self.start_ns


def log_of(header: Mapping[str, Any], arrays: Arrays) -> DarshanLog:
    """Check the values that were read from a log.

    Args:
        header: Header from `message.unpack`.
        arrays: Arrays from `message.unpack`.

    Raises:
        UnusableLogError: A value is impossible.
    """
    try:
        return _log_of(header, arrays)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise UnusableLogError(
            f"a part of it is missing ({type(error).__name__}: {error})"
        ) from error


def _log_of(header: Mapping[str, Any], arrays: Arrays) -> DarshanLog:
    job = {name: value for name, value in header["job"].items() if name != "metadata"}
    processes = int(job["nprocs"])
    if not 1 <= processes <= _MOST_PROCESSES:
        raise UnusableLogError(f"it claims to be of {processes} processes")
    start_ns, end_ns, error_us = _times(job)
    notes: list[str] = []
    modules = header.get("modules", {})
    counted = {
        module: _counted(module, header, arrays, processes, end_ns - start_ns)
        for module in ("POSIX", "STDIO", "MPI-IO")
        if f"{module}.id" in arrays
    }
    for module in header.get("beyond", []):
        notes.append(f"Its traffic by {module} is not read, only that by POSIX, STDIO and MPI-IO.")
    for module, records in counted.items():
        if records.partial:
            notes.append(
                f"Darshan ran out of room for records of {module}: totals are lower bounds."
            )
    uid = int(job["uid"])
    names = dict(zip(arrays["names.id"].tolist(), header["names"], strict=True))
    return DarshanLog(
        uid if 0 <= uid < 2**32 - 1 else _NOBODY,
        int(job["jobid"]),
        processes,
        start_ns,
        end_ns,
        error_us,
        one_line(str(header["exe"])[:_MOST_TEXT]),
        one_line(str(header["job"].get("metadata", {}).get("lib_ver", ""))[:40]),
        _mounts(header["mounts"]),
        counted,
        _heat(header, arrays, processes),
        _operations(arrays, processes, end_ns - start_ns, modules, notes),
        _targets(arrays),
        {key: one_line(str(name)[:_MOST_TEXT]) for key, name in names.items()},
        {
            name: frozenset(arrays[f"{module}.id"].tolist())
            for module, name in (("H5F", "HDF5"), ("PNETCDF_FILE", "netCDF"))
            if f"{module}.id" in arrays
        },
        _hosts(header.get("hosts", {}), processes),
        (int(header["file"][0]), int(header["file"][1])),
        notes,
    )


def _times(job: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return start and end of a job (ns since the epoch), and the precision of its clock, µs."""
    start_s, end_s = int(job["start_time_sec"]), int(job["end_time_sec"])
    start_part, end_part = int(job["start_time_nsec"]), int(job["end_time_nsec"])
    if not _YEAR_2000_S <= start_s <= time.time() + _AHEAD_S:
        raise UnusableLogError("the job's start is before the year 2000, or in the future")
    if not 0 <= end_s - start_s <= _LONGEST_S:
        raise UnusableLogError("the job's end is before its start, or years after it")
    if not (0 <= start_part < _NS and 0 <= end_part < _NS):
        raise UnusableLogError("its times are not valid")
    # Runtimes before 3.4.1 record whole seconds: the job ended some time in the last one.
    coarse = start_part == 0 and end_part == 0
    start_ns = start_s * _NS + start_part
    end_ns = end_s * _NS + end_part + (_NS if coarse else 0)
    return start_ns, max(end_ns, start_ns + 1), 1_000_000 if coarse else 0


def _mounts(rows: Any) -> list[tuple[str, str]]:
    """Return the mounts, longer paths first; of several at one path the last hides the others."""
    known = {}
    for path, kind in rows:
        known[one_line(str(path)[:_MOST_TEXT])] = one_line(str(kind)[:64])
    return sorted(known.items(), key=lambda row: (-len(row[0]), row[0]))


def _hosts(hosts: Mapping[str, str], processes: int) -> dict[int, str]:
    known = {int(rank): one_line(str(host)[:255]).strip() for rank, host in hosts.items()}
    return {rank: host for rank, host in known.items() if host and 0 <= rank < processes}


def _ranks(values: NDArray[Any], processes: int) -> Ints:
    ranks: Ints = values.astype(np.int64)
    if len(ranks) and not (int(ranks.min()) >= -1 and int(ranks.max()) < processes):
        raise UnusableLogError("a record belongs to a rank that the job does not have")
    return ranks


def _counted(
    module: str, header: Mapping[str, Any], arrays: Arrays, processes: int, run_ns: int
) -> Counted:
    names, times = header["counters"][module]
    counters, seconds = arrays[f"{module}.counters"], arrays[f"{module}.fcounters"]
    rank = _ranks(arrays[f"{module}.rank"], processes)
    if not len(rank) == len(counters) == len(seconds):
        raise UnusableLogError(f"its records of {module} are incomplete")
    # A sum over all ranks is at most their number times the run; more means damage.
    most = run_ns / 1e9 * processes * 1.001 + 2
    clean = np.nan_to_num(seconds.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    return Counted(
        arrays[f"{module}.id"].astype(np.uint64),
        rank,
        {name: counters[:, at].clip(0, MAX_VALUE) for at, name in enumerate(names)},
        {name: clean[:, at].clip(0.0, most) for at, name in enumerate(times)},
        bool(header["modules"][module]["partial"]),
    )


def _heat(header: Mapping[str, Any], arrays: Arrays, processes: int) -> dict[str, HeatMap]:
    if "HEATMAP.id" not in arrays or not len(arrays["HEATMAP.id"]):
        return {}
    named = {int(key): name.removeprefix("heatmap:") for key, name in header["bins"].items()}
    names = np.array([(_HEAT_IDS | named).get(key, "") for key in arrays["HEATMAP.id"].tolist()])
    rank = _ranks(arrays["HEATMAP.rank"], processes)
    found = {}
    for module in ("POSIX", "STDIO"):
        mine = names == module
        widths = np.unique(arrays["HEATMAP.width"][mine])
        if len(widths) != 1 or not math.isfinite(widths[0]) or not 1e-3 <= widths[0] <= 1e6:
            continue  # bins of several widths cannot be distinguished
        found[module] = HeatMap(
            rank[mine],
            round(float(widths[0]) * 1e9),
            arrays["HEATMAP.read"][mine].clip(0, MAX_VALUE),
            arrays["HEATMAP.write"][mine].clip(0, MAX_VALUE),
        )
    return {name: heat for name, heat in found.items() if heat.read.shape[1]}


def _operations(
    arrays: Arrays, processes: int, run_ns: int, modules: Mapping[str, Any], notes: list[str]
) -> Operations | None:
    if "DXT.id" not in arrays or not len(arrays["DXT.id"]):
        return None
    rank = _ranks(arrays["DXT.rank"], processes)
    begin = np.nan_to_num(arrays["DXT.begin"], nan=-1.0, posinf=-1.0, neginf=-1.0)
    end = np.nan_to_num(arrays["DXT.end"], nan=-1.0, posinf=-1.0, neginf=-1.0)
    limit = run_ns / 1e9 + 1.0
    sound = (begin >= 0) & (end >= begin) & (end <= limit) & (rank >= 0)
    if not sound.all():
        notes.append("Some traced operations have impossible times, so the trace is not used.")
        return None
    return Operations(
        arrays["DXT.id"].astype(np.uint64),
        rank,
        arrays["DXT.writes"] != 0,
        arrays["DXT.length"].clip(0, MAX_VALUE),
        np.rint(begin * 1e9).astype(np.int64).clip(0, run_ns),
        np.rint(end * 1e9).astype(np.int64).clip(0, run_ns),
        bool(modules.get("DXT_POSIX", {}).get("partial")),
    )


def _targets(arrays: Arrays) -> Targets:
    if "LUSTRE.id" not in arrays:
        return Targets(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    ids, counts = arrays["LUSTRE.id"].astype(np.uint64), arrays["LUSTRE.count"]
    if len(ids) != len(counts) or int(counts.sum()) != len(arrays["LUSTRE.target"]):
        raise UnusableLogError("the log's storage targets are incomplete")
    pairs = np.rec.fromarrays([np.repeat(ids, counts), arrays["LUSTRE.target"].astype(np.int64)])
    distinct = np.unique(pairs[arrays["LUSTRE.target"] >= 0])
    return Targets(distinct["f0"], distinct["f1"])
