"""Reads the slices of each rank of a job: time in communication, and possible causes of delays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.engine import Engine, total
from jostle.repository.store.layout import TABLES
from jostle.values.file_metrics import file_metrics

#: Time in communication of MPI, and of collective libraries; together the time that may contain
#: waiting.
COMMUNICATION = (
    "state_p2p_ns",
    "state_collective_ns",
    "state_onesided_ns",
    "state_mpi_ns",
    "ccl_all_to_all_ns",
    "ccl_one_to_all_ns",
    "ccl_all_to_one_ns",
    "ccl_barrier_ns",
    "ccl_send_ns",
    "ccl_recv_ns",
)
#: Metrics of resources that a rank uses or waits for while it does not communicate.
RESOURCES = (
    "os_user_ns",
    "os_system_ns",
    "os_runqueue_ns",
    "os_throttled_ns",
    "state_io_ns",
    "state_mpiio_ns",
    "core_probe_ns",
    "core_probe_count",
    "core_probe_steal_ns",
)
#: Classes of file calls: the metrics of their number and of their time.
FILE_CLASSES = {
    "read": (file_metrics("read_ops"), file_metrics("read_ns")),
    "write": (file_metrics("write_ops"), file_metrics("write_ns")),
    "meta": (
        file_metrics("sync_ops", "meta_ops", "open_ops", "close_ops"),
        file_metrics("sync_ns", "meta_ns"),
    ),
}
#: Most rows that are read, and most rows that are returned: further ones are added up.
MOST_READ, _MOST_ROWS = 20_000_000, 500_000


def _no_mounts() -> pa.Table:
    texts = {"mount": pa.array([], pa.string())}
    names = ("process", "slice", "slice_ns", "span")
    counts = [f"{name}_{kind}" for name in FILE_CLASSES for kind in ("ops", "ns")]
    return pa.table(texts | {name: pa.array([], pa.int64()) for name in (*names, *counts)})


@dataclass(frozen=True)
class RankTables:
    """Slices of the ranks of a job.

    Attributes:
        job: Name of the job.
        ranks: One row per rank that has a profile: number (of its world in the job), world_size,
            world_rank, process, host, begin_ns, end_ns, clock_error_us. From begin_ns to end_ns the
            rank may have waited for others: these are the end of MPI_Init and the call of
            MPI_Finalize, as far as they are known.
        slices: process, slice, slice_ns, span, COMMUNICATION and RESOURCES, sorted by time. If a
            rank has no row in a slice, all its values there are 0.
        mounts: process, mount, slice, slice_ns, span, then `<class>_ops` and `<class>_ns` of each
            of FILE_CLASSES.
        left_out: 0, or, if the job's processes have more than MOST_READ slices, their number: then
            the tables slices and mounts are empty.
    """

    job: str
    ranks: pa.Table
    slices: pa.Table
    mounts: pa.Table = field(default_factory=_no_mounts)
    left_out: int = 0


def rank_tables(engine: Engine, job: str, processes: pa.Table, worlds: pa.Table) -> RankTables:
    """Return the slices of the ranks of a job.

    Args:
        engine: The repository.
        job: The job.
        processes: Processes of the job, as Repository.job_processes returns them.
        worlds: Ranks of the job, as Repository.worlds returns them.
    """
    ranks = _ranks(processes, worlds)
    records = _records(processes, ranks)
    if ranks.num_rows < 2 or records > MOST_READ:
        return RankTables(job, ranks, _nothing(), left_out=records if records > MOST_READ else 0)
    joined = -(-records // _MOST_ROWS) or 1
    values = {name: total(name) for name in (*COMMUNICATION, *RESOURCES)}
    slices = _rows(engine, job, "slices", joined, values, values)
    files = {
        f"{kind}_{unit}": total(" + ".join(f"coalesce({name}, 0)" for name in names))
        for kind, both in FILE_CLASSES.items()
        for unit, names in zip(("ops", "ns"), both, strict=True)
    }
    named = [name for both in FILE_CLASSES.values() for names in both for name in names]
    mounts = _rows(engine, job, "mount_slices", joined, files, named)
    return RankTables(job, ranks, slices, mounts)


def rank_peers(engine: Engine, job: str) -> pa.Table:
    """Return the bytes that ranks of a job exchanged with each other, point to point.

    Args:
        engine: The repository.
        job: The job.

    Returns:
        Columns process, peer (world rank of the partner) and bytes, sent and received together.
    """
    window = engine.window(job)
    columns = (*TABLES["peer_slices"].keys, "sent_bytes", "recv_bytes")
    return engine.ask(
        lambda: (
            "SELECT process, peer, "
            f"{total('coalesce(sent_bytes, 0) + coalesce(recv_bytes, 0)')} AS bytes "
            f"FROM {engine.stored('peer_slices', *window, columns=columns)} "
            "WHERE job = ? AND peer >= 0 GROUP BY process, peer ORDER BY process, peer"
        ),
        [job],
    )


def _rows(
    engine: Engine,
    job: str,
    table: str,
    joined: int,
    values: Mapping[str, str],
    named: Iterable[str],
) -> pa.Table:
    """Return the rows of a table of slices, with groups of `joined` slices added up.

    Args:
        engine: The repository.
        job: The job.
        table: slices or mount_slices.
        joined: Number of slices that become one.
        values: Name of each sum, and its SQL.
        named: The metrics in these sums.
    """
    window = engine.window(job)
    mount = "mount, " if "mount" in TABLES[table].keys else ""
    sums = ", ".join(f"{sql} AS {name}" for name, sql in values.items())
    columns = (*TABLES[table].keys, *named)
    return engine.ask(
        lambda: (
            f"SELECT process, {mount}slice // {joined} AS slice, slice_ns * {joined} AS "
            f"slice_ns, (max(slice + span - 1) // {joined} - slice // {joined} + 1)::BIGINT "
            f"AS span, {sums} FROM {engine.stored(table, *window, columns=columns)} "
            f"WHERE job = ? GROUP BY process, {mount}slice // {joined}, slice_ns "
            f"ORDER BY slice // {joined} * slice_ns, process"
        ),
        [job],
    )


def _ranks(processes: pa.Table, worlds: pa.Table) -> pa.Table:
    """Return the ranks with the time in which each may have waited for others."""
    rows = {row["process"]: row for row in processes.to_pylist()} if worlds.num_rows else {}
    of = [rows[process] for process in worlds["process"].to_pylist()]
    seen = [(row["last_slice"] + 1) * row["slice_ns"] for row in of]
    begin = [row["mpi_ready_ns"] or row["mpi_init_ns"] or row["start_ns"] for row in of]
    end = [
        row["mpi_finalize_ns"] or row["end_ns"] or last for row, last in zip(of, seen, strict=True)
    ]
    errors = [row["clock_error_us"] or 0 for row in of]
    for name, values in (("begin_ns", begin), ("end_ns", end), ("clock_error_us", errors)):
        worlds = worlds.append_column(name, pa.array(values, pa.int64()))
    return worlds.drop_columns(["world", "spawned"])


def _records(processes: pa.Table, ranks: pa.Table) -> int:
    mine = processes.filter(pc.is_in(processes["process"], ranks["process"]))
    return int(pc.sum(mine["records"]).as_py() or 0)


def _nothing() -> pa.Table:
    names = ("process", "slice", "slice_ns", "span", *COMMUNICATION, *RESOURCES)
    return pa.table({name: pa.array([], pa.int64()) for name in names})
