"""Recommends what to examine next in a job without MPI, by rules on its file calls and waits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from jostle.analysis.digest.advice import Rule, spoken
from jostle.analysis.digest.mpi_world import Advice
from jostle.analysis.shares_of_time import share_of_time
from jostle.values.file_metrics import file_total

if TYPE_CHECKING:
    from jostle.analysis.digest.model import AccessShape, JobDigest

#: Fewest calls for a rule on their kind.
_FEW = 100
_KIB = 1024

JOB_RULES: tuple[Rule, ...] = (
    Rule(
        "oversubscribed",
        (("waiting_share", ">=", 0.05),),
        "who held the cores",
        ("jostle interference JOB", "jostle timeline JOB --metric wait"),
        "its processes ({processes}) waited {waiting_share} of their time for a core, and kept "
        "{cores} cores busy on average. If no other job held the cores, start fewer processes or "
        "threads, or request more cores",
    ),
    Rule(
        "limited",
        (("throttled_share", ">=", 0.05),),
        "the job's own CPU limit",
        ("cpu.max of its control group", "the request for cores of the batch job"),
        "its CPU limit stopped it for {throttled_share} of its time",
    ),
    Rule(
        "small files",
        (
            ("read_opens", ">=", _FEW),
            ("file_share", ">=", 0.05),
            ("bytes_per_open", "<=", 256 * _KIB),
            ("reads_per_open", "<=", 4),
        ),
        "many small files that are read completely",
        (
            "one archive that is read in sequence (tar, HDF5, SQLite, WebDataset)",
            "a copy on the node's own disk",
        ),
        "{read_opens} opens for {bytes_per_open} bytes each: each open is a request to the "
        "file system; packing them into a few files avoids most of these",
    ),
    Rule(
        "metadata",
        (("metadata_share", ">=", 0.10), ("metadata_ops", ">=", _FEW)),
        "metadata calls",
        ("strace -c -f -e trace=%file", "Darshan"),
        "open, stat and their like take {metadata_share} of its time ({metadata_ops} calls): they "
        "show which files are queried repeatedly",
        unless=("small files",),
    ),
    Rule(
        "sync",
        (("sync_share", ">=", 0.10), ("sync_ops", ">=", 10)),
        "waiting for data to reach the disk",
        ("strace -f -e trace=fsync,fdatasync",),
        "{sync_ops} calls of fsync and their like take {sync_share} of its time, after "
        "{bytes_per_sync} written bytes each; fewer of them, or one at the end, may do",
    ),
    Rule(
        "small writes",
        (("write_share", ">=", 0.02), ("writes", ">=", _FEW), ("bytes_per_write", "<", 4 * _KIB)),
        "small writes",
        ("a larger buffer in the program (setvbuf, buffering=)", "Darshan"),
        "{writes} writes of {bytes_per_write} bytes on average take {write_share} of its time",
    ),
    Rule(
        "random reads",
        (
            ("read_share", ">=", 0.02),
            ("reads", ">=", _FEW),
            ("bytes_per_read", "<", 64 * _KIB),
            ("seeks_per_read", ">=", 0.5),
        ),
        "small reads at changing places",
        ("reading in the order of the file", "a copy on the node's own disk", "Darshan, with DXT"),
        "{reads} reads of {bytes_per_read} bytes on average, most of them after a seek, take "
        "{read_share} of its time",
        unless=("small files",),
    ),
    Rule(
        "small reads",
        (("read_share", ">=", 0.02), ("reads", ">=", _FEW), ("bytes_per_read", "<", 4 * _KIB)),
        "small reads",
        ("a larger buffer in the program (setvbuf, buffering=)", "Darshan"),
        "{reads} reads of {bytes_per_read} bytes on average take {read_share} of its time",
        unless=("small files", "random reads"),
    ),
    Rule(
        "hot spots",
        (("cpu_share", ">=", 0.60),),
        "sampling profiler",
        ("perf record", "py-spy (Python)", "HPCToolkit"),
        "{cpu_share} of its time is computation; it shows which functions and loops take it",
    ),
)


def job_features(digest: JobDigest) -> dict[str, float]:
    """Return the values of a job that the rules may use, by name; nan where one is unknown.

    Shares are parts of the summed lifetime of the processes; sizes are in bytes.
    """
    shares = {share.name: share.share for share in digest.shares}
    totals = {name: spread.total for name, spread in digest.metrics.items()}
    read, write = digest.access
    opens, syncs = file_total(totals, "open_ops"), file_total(totals, "sync_ops")
    return {
        "waiting_share": shares.get("waiting for a core", 0.0),
        "throttled_share": shares.get("throttled by its CPU limit", 0.0),
        "processes": float(digest.processes or digest.short_processes),
        "cores": digest.cores,
        "cpu_share": share_of_time(
            shares.get("user CPU", 0.0) + shares.get("system CPU", 0.0), 1.0
        ),
        "file_share": digest.file_share,
        "read_share": shares.get("file reads", 0.0),
        "write_share": shares.get("file writes", 0.0),
        "sync_share": shares.get("file sync", 0.0),
        "metadata_share": shares.get("file metadata", 0.0),
        "metadata_ops": float(file_total(totals, "open_ops", "close_ops", "meta_ops")),
        # If a program writes more than it reads, its opens count as those of its writes.
        "read_opens": float(opens) if read.bytes > write.bytes else 0.0,
        "bytes_per_open": _per(read.bytes, opens),
        "reads_per_open": _per(read.ops, opens),
        "sync_ops": float(syncs),
        "bytes_per_sync": _per(write.bytes, syncs),
        **_of_direction("read", read),
        **_of_direction("write", write),
    }


def _of_direction(name: str, access: AccessShape) -> dict[str, float]:
    return {
        f"{name}s": float(access.ops),
        f"bytes_per_{name}": _per(access.bytes, access.ops),
        f"seeks_per_{name}": access.seeks_per_op if access.ops else math.nan,
    }


def _per(number: int, of: int) -> float:
    return number / of if of else math.nan


def advise_job(digest: JobDigest) -> list[Advice]:
    """Return the advice of all rules that hold for a job without MPI, in the order of the rules."""
    return spoken(JOB_RULES, job_features(digest))
