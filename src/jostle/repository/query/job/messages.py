"""Reads the MPI traffic of jobs' ranks, and their time in MPI."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import FOR_EVER, Life
from jostle.repository.query.resources.co_running import (
    MPI_BYTES,
    MPI_NS,
    P2P,
    JobFacts,
    added,
    facts,
    family_bytes,
)

_SLACK_NS = 60 * 10**9  # a slice may begin before its job and end after it
#: Kinds of MPI calls, by name for users, and the families of calls that belong to each.
CALLS = {
    "send": ("send", "isend"),
    "receive": ("recv", "irecv"),
    "sendrecv": ("sendrecv",),
    "wait": ("wait", "test", "probe"),
    "one to all": ("one_to_all", "ione_to_all"),
    "all to one": ("all_to_one", "iall_to_one"),
    "all to all": ("all_to_all", "iall_to_all"),
    "scan": ("scan", "iscan"),
    "neighbourhood": ("neighbor", "ineighbor"),
    "barrier": ("barrier", "ibarrier"),
    "one-sided": ("put", "get", "accumulate", "rma_sync", "window"),
}
_P2P_BYTES = tuple(metric for family in P2P for metric in family_bytes(family))
_ONE_SIDED = tuple(f"mpi_{name}_bytes" for name in ("put", "get", "accumulate"))
_COLLECTIVE_BYTES = tuple(name for name in MPI_BYTES if name not in (*_P2P_BYTES, *_ONE_SIDED))
#: Classes of MPI time: column of the answer -> metric.
CLASSES = {
    "p2p_ns": "state_p2p_ns",
    "collective_ns": "state_collective_ns",
    "onesided_ns": "state_onesided_ns",
}


def calls_column(name: str) -> str:
    """Return the column of `Messages.ranks` that has the time of a kind of calls."""
    return f"calls_{name.replace(' ', '_').replace('-', '_')}_ns"


class Messages:
    """Queries about the messages of jobs; `Repository.messages`."""

    def __init__(self, engine: Engine) -> None:
        """Create the object without reading any files."""
        self._engine = engine

    def facts(self, jobs: Sequence[str] | None = None) -> dict[str, JobFacts]:
        """Return the facts of jobs by their names; of all jobs if no names are given."""
        return facts(self._engine, None if jobs is None else list(jobs))

    def living(self, span: Life) -> list[str]:
        """Return the jobs that ran in a span of time (ns)."""
        return [
            job
            for job, (begin, end) in self._engine.lives.known().items()
            if begin < span[1] and (not end or end > span[0])
        ]

    def ranks(self, jobs: Sequence[str]) -> pa.Table:
        """Return the traffic of each MPI rank of some jobs, and its time in MPI.

        Returns:
            One row per rank: job, process, host, rank (-1: not known), size (of its world),
            start_ns and end_ns (of its time between MPI_Init and MPI_Finalize), sent_bytes,
            p2p_bytes and collective_bytes (parts of sent_bytes), mpi_ns (time in calls that move or
            await messages), p2p_ns, collective_ns and onesided_ns (parts of mpi_ns), other_mpi_ns,
            io_ns, and the time in each kind of CALLS (in column `calls_column`).
        """
        values = {
            "sent_bytes": added(MPI_BYTES),
            "p2p_bytes": added(_P2P_BYTES),
            "collective_bytes": added(_COLLECTIVE_BYTES),
            "mpi_ns": added(MPI_NS),
            "io_ns": added(("state_io_ns", "state_mpiio_ns")),
            "other_mpi_ns": "state_mpi_ns",
            **CLASSES,
            **{
                calls_column(name): added(f"mpi_{family}_ns" for family in families)
                for name, families in CALLS.items()
            },
        }
        sums = ", ".join(f"{total(value)} AS {name}" for name, value in values.items())
        names = ", ".join(f"coalesce({name}, 0)::BIGINT AS {name}" for name in values)
        window = self._window(jobs)
        return self._engine.ask(
            lambda: (
                "WITH ranks AS (SELECT job, process, host, coalesce(world_rank, -1)::BIGINT "
                "AS rank, coalesce(world_size, 0)::BIGINT AS size, "
                "CASE WHEN mpi_ready_ns > 0 THEN mpi_ready_ns ELSE start_ns END AS start_ns, "
                "CASE WHEN mpi_finalize_ns > 0 THEN mpi_finalize_ns WHEN complete THEN end_ns "
                "ELSE (last_slice + 1) * slice_ns END AS end_ns "
                f"FROM {self._engine.stored('processes')} "
                "WHERE list_contains($1, job) AND (mpi_state > 0 OR world_size > 0) "
                "QUALIFY row_number() OVER (PARTITION BY process ORDER BY revision DESC) = 1), "
                f"sums AS (SELECT process, {sums} FROM {self._engine.stored('slices', *window)} "
                "WHERE list_contains($1, job) GROUP BY process) "
                f"SELECT ranks.*, {names} FROM ranks LEFT JOIN sums USING (process) "
                "ORDER BY job, rank, process"
            ),
            [list(jobs)],
        )

    def slices(self, jobs: Sequence[str]) -> pa.Table:
        """Return the traffic of some jobs per slice: job, slice, slice_ns, sent_bytes, mpi_ns."""
        sent, spent = (added(f"{name}_sum" for name in names) for names in (MPI_BYTES, MPI_NS))
        window = self._window(jobs)
        return self._engine.ask(
            lambda: (
                f"SELECT job, slice, slice_ns, {total(sent)} AS sent_bytes, {total(spent)} AS "
                f"mpi_ns FROM {self._engine.stored('node_rollup', *window)} "
                "WHERE list_contains($1, job) "
                "GROUP BY job, slice, slice_ns ORDER BY job, slice * slice_ns"
            ),
            [list(jobs)],
        )

    def communicators(self, jobs: Sequence[str]) -> tuple[pa.Table, pa.Table]:
        """Return the communicators of some jobs, and the bytes of ranks in the collectives of each.

        Returns:
            Two tables: the communicators (job, communicator, ranks: a list), and the bytes of each
            rank in collectives on each of them (job, rank, communicator, bytes).
        """
        window = self._window(jobs)
        members = self._engine.ask(
            lambda: (
                "SELECT job, communicator, max_by(ranks, coalesce(len(ranks), 0)) AS ranks "
                f"FROM {self._engine.stored('communicators', *window)} "
                "WHERE list_contains($1, job) GROUP BY job, communicator ORDER BY job, communicator"
            ),
            [list(jobs)],
        )
        given = self._engine.ask(
            lambda: (
                f"SELECT job, rank, communicator, {total('bytes')} AS bytes "
                f"FROM {self._engine.stored('collective_slices', *window)} "
                "WHERE list_contains($1, job) GROUP BY job, rank, communicator "
                "ORDER BY job, communicator, rank"
            ),
            [list(jobs)],
        )
        return members, given

    def _window(self, jobs: Sequence[str]) -> tuple[int, int]:
        """Return the span of time in which some jobs have slices, in ns."""
        wanted = set(jobs)
        lives = [life for job, life in self._engine.lives.known().items() if job in wanted]
        if not lives:
            return 0, 0
        end = max(life[1] or FOR_EVER[1] for life in lives)
        return max(min(life[0] for life in lives) - _SLACK_NS, 0), min(end + _SLACK_NS, FOR_EVER[1])
