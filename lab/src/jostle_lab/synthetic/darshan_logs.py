"""Writes Darshan logs with known content, with the C library of the package `darshan`."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NS = 1_000_000_000
_NO_COMPRESSION, _ZLIB = 2, 0
#: Numbers and versions of modules, as Darshan 3.5 writes them.
_MODULES = {
    "POSIX": (1, 4),
    "LUSTRE": (8, 1),
    "STDIO": (9, 2),
    "DXT_POSIX": (10, 1),
    "HEATMAP": (15, 1),
}
_HEAT_IDS = {"POSIX": 16592106915301738621, "STDIO": 3989511027826779520}
_POSIX_COUNTERS, _POSIX_TIMES = 69, 17
_STDIO_COUNTERS, _STDIO_TIMES = 14, 15


@dataclass(frozen=True)
class LoggedFile:
    """One record of one file.

    Attributes:
        path: Path of the file.
        rank: Rank that used the file; -1: all ranks together.
        counters: Counters by Darshan's names.
        times: Times and instants by Darshan's names, in seconds.
        interface: POSIX or STDIO.
        targets: Storage targets that store the file.
    """

    path: str
    rank: int
    counters: Mapping[str, int]
    times: Mapping[str, float] = field(default_factory=dict)
    interface: str = "POSIX"
    targets: Sequence[int] = ()


@dataclass(frozen=True)
class LoggedOperation:
    """One traced operation: file, rank, host, instants since the start (s), bytes."""

    path: str
    rank: int
    host: str
    writes: bool
    begin_s: float
    end_s: float
    length: int


@dataclass(frozen=True)
class LoggedJob:
    """The content of a log.

    Attributes:
        uid: User ID of the job's owner.
        job_id: Job ID in the batch system.
        processes: Number of ranks.
        start_ns: Start, ns since the epoch; whole seconds make a log of an early version.
        end_ns: End, ns since the epoch.
        exe: Command line: program and arguments.
        mounts: Path and type of mounts.
        files: Records of files.
        bin_s: Width of the bins of the heat map, s; 0: there is none.
        read: Bytes by rank and bin.
        written: Bytes written by rank and bin.
        operations: Traced operations.
    """

    uid: int
    job_id: int
    processes: int
    start_ns: int
    end_ns: int
    exe: str
    mounts: Sequence[tuple[str, str]]
    files: Sequence[LoggedFile]
    bin_s: float = 0.0
    read: NDArray[np.int64] | None = None
    written: NDArray[np.int64] | None = None
    operations: Sequence[LoggedOperation] = ()


class _Job(ctypes.Structure):
    _fields_ = (
        *(
            (name, ctypes.c_int64)
            for name in (
                "uid",
                "start_time_sec",
                "start_time_nsec",
                "end_time_sec",
                "end_time_nsec",
                "nprocs",
                "jobid",
            )
        ),
        ("metadata", ctypes.c_char * 1024),
    )


class _Mount(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_char * 3015), ("path", ctypes.c_char * 3015))


class _NameRef(ctypes.Structure):
    # A name and its links in a hash table in which nothing is looked up.
    _fields_ = (
        ("record", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("before", ctypes.c_void_p),
        ("after", ctypes.c_void_p),
        ("bucket", ctypes.c_void_p * 2),
        ("key", ctypes.c_void_p),
        ("length", ctypes.c_uint),
        ("hash", ctypes.c_uint),
    )


@cache
def _library() -> Any:
    import darshan

    folder = Path(darshan.__file__).parent.parent / "darshan.libs"
    library = ctypes.CDLL(str(next(folder.glob("libdarshan-util*.so*"))))
    library.darshan_log_create.restype = ctypes.c_void_p
    for name in ("job", "exe", "mounts", "namehash", "mod"):
        getattr(library, f"darshan_log_put_{name}").restype = ctypes.c_int
    return library


@cache
def _places(interface: str, *, times: bool) -> dict[str, int]:
    from darshan.backend import cffi_backend

    names = cffi_backend.fcounter_names if times else cffi_backend.counter_names
    return {name: at for at, name in enumerate(names(interface))}


def file_id(path: str) -> int:
    """Return the ID of a file in the logs that this module writes."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(path.encode(), digest_size=8).digest(), "little")


def write_log(path: Path, job: LoggedJob, *, compress: bool = True) -> None:
    """Write a log.

    Args:
        path: Path of the log; an existing file is replaced.
        job: Content of the log.
        compress: Whether to compress the log as Darshan's runtime does.

    Raises:
        OSError: The log cannot be written.
    """
    path.unlink(missing_ok=True)
    library = _library()
    kind = _ZLIB if compress else _NO_COMPRESSION
    handle = library.darshan_log_create(os.fsencode(path), kind, 0)
    if not handle:
        raise OSError(f"The Darshan log {path} cannot be written.")
    log = ctypes.c_void_p(handle)
    try:
        _check(library.darshan_log_put_job(log, ctypes.byref(_job(job))))
        _check(
            library.darshan_log_put_exe(log, ctypes.create_string_buffer(job.exe.encode(), 4096))
        )
        mounts = (_Mount * len(job.mounts))(
            *(_Mount(kind.encode(), place.encode()) for place, kind in job.mounts)
        )
        _check(library.darshan_log_put_mounts(log, mounts, len(job.mounts)))
        names = _names(job)
        first = ctypes.byref(names.refs[0]) if names.kept else None
        _check(library.darshan_log_put_namehash(log, first))
        for module, content in _modules(job).items():
            number, version = _MODULES[module]
            _check(library.darshan_log_put_mod(log, number, content, len(content), version))
    finally:
        library.darshan_log_close(log)


def _check(code: int) -> None:
    if code < 0:
        raise OSError("The library of Darshan could not write a part of a log.")


def _job(job: LoggedJob) -> _Job:
    coarse = job.start_ns % _NS == 0 and job.end_ns % _NS == 0
    end_ns = job.end_ns - _NS if coarse else job.end_ns  # the second in which it ended
    return _Job(
        job.uid,
        job.start_ns // _NS,
        job.start_ns % _NS,
        end_ns // _NS,
        end_ns % _NS,
        job.processes,
        job.job_id,
        b"lib_ver=3.5.0\n",
    )


def _names(job: LoggedJob) -> _NameList:
    paths = [*(each.path for each in job.files), *(each.path for each in job.operations)]
    texts = {file_id(path): path for path in paths}
    if job.bin_s:
        texts |= {key: f"heatmap:{name}" for name, key in _HEAT_IDS.items()}
    refs = (_NameRef * len(texts))()
    # A name follows its id; both must live as long as the array that points to them.
    kept = [
        ctypes.create_string_buffer(np.array([key], dtype="<u8").tobytes() + text.encode() + b"\0")
        for key, text in texts.items()
    ]
    for at, name in enumerate(kept):
        refs[at].record = ctypes.addressof(name)
        if at + 1 < len(texts):
            refs[at].after = ctypes.addressof(refs[at + 1])
    return _NameList(refs, kept)


@dataclass(frozen=True)
class _NameList:
    """Names as a linked list, and the memory that they are in."""

    refs: Any
    kept: list[Any]


def _modules(job: LoggedJob) -> dict[str, bytes]:
    found = {
        "POSIX": _counted(job, "POSIX", _POSIX_COUNTERS, _POSIX_TIMES),
        "LUSTRE": _targets(job),
        "STDIO": _counted(job, "STDIO", _STDIO_COUNTERS, _STDIO_TIMES),
        "DXT_POSIX": _operations(job),
        "HEATMAP": _bins(job),
    }
    return {name: content for name, content in found.items() if content}


def _counted(job: LoggedJob, interface: str, counters: int, times: int) -> bytes:
    shape = np.dtype(
        [("id", "<u8"), ("rank", "<i8"), ("counters", "<i8", counters), ("times", "<f8", times)]
    )
    files = [each for each in job.files if each.interface == interface]
    rows = np.zeros(len(files), dtype=shape)
    of_counters, of_times = (_places(interface, times=times) for times in (False, True))
    for row, each in zip(rows, files, strict=True):
        row["id"], row["rank"] = file_id(each.path), each.rank
        for name, value in each.counters.items():
            row["counters"][of_counters[name]] = value
        for name, seconds in each.times.items():
            row["times"][of_times[name]] = seconds
    return rows.tobytes()


def _targets(job: LoggedJob) -> bytes:
    """Return the log's Lustre records of version 1: ID, rank, five counters, storage targets."""
    parts = []
    for each in job.files:
        if each.targets:
            counters = [len(each.targets), 1, 0, 1 << 20, len(each.targets)]
            parts.append(np.array([file_id(each.path)], dtype="<u8").tobytes())
            parts.append(np.array([each.rank, *counters, *each.targets], dtype="<i8").tobytes())
    return b"".join(parts)


def _bins(job: LoggedJob) -> bytes:
    if not job.bin_s or job.read is None or job.written is None:
        return b""
    parts = []
    for rank, (read, written) in enumerate(zip(job.read, job.written, strict=True)):
        parts.append(np.array([_HEAT_IDS["POSIX"]], dtype="<u8").tobytes())
        parts.append(np.array([rank], dtype="<i8").tobytes())
        parts.append(np.array([job.bin_s], dtype="<f8").tobytes())
        parts.append(np.array([len(read), 0, 0], dtype="<i8").tobytes())  # two unused pointers
        parts.append(np.asarray(written, dtype="<i8").tobytes())
        parts.append(np.asarray(read, dtype="<i8").tobytes())
    return b"".join(parts)


def _operations(job: LoggedJob) -> bytes:
    by_record: dict[tuple[str, int, str], list[LoggedOperation]] = {}
    for each in job.operations:
        by_record.setdefault((each.path, each.rank, each.host), []).append(each)
    shape = np.dtype([("offset", "<i8"), ("length", "<i8"), ("begin", "<f8"), ("end", "<f8")])
    parts = []
    for (path, rank, host), operations in by_record.items():
        ordered = sorted(operations, key=lambda each: (not each.writes, each.begin_s))
        writes = sum(each.writes for each in ordered)
        parts.append(np.array([file_id(path)], dtype="<u8").tobytes())
        parts.append(np.array([rank, 0], dtype="<i8").tobytes())
        parts.append(host.encode()[:63].ljust(64, b"\0"))
        parts.append(np.array([writes, len(ordered) - writes], dtype="<i8").tobytes())
        rows = [(0, each.length, each.begin_s, each.end_s) for each in ordered]
        parts.append(np.array(rows, dtype=shape).tobytes())
    return b"".join(parts)
