"""Writes placed jobs as rows of a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.repository.writing import (
    DAY_NS,
    HOUR_NS,
    TABLES,
    PartitionChunk,
    ProcessSource,
    SliceBatch,
    partition_chunks,
    process_id,
)
from jostle_lab.synthetic.placed.model import Floats, Ints, PlacedJob, PlacedRun
from jostle_lab.synthetic.placed.places import GROUP, RANKS_PER_NODE

#: The first day: 13 March 2013, UTC.
EPOCH_S = 1_363_132_800
#: Shares of collectives in a run's messages: of bytes and of time.
BYTES_IN_COLLECTIVES, TIME_IN_COLLECTIVES = 0.78, 0.75
#: Time of a run that is neither computation nor MPI, s.
OTHER_S = 0.4
_BOOT = "0a0b0c0d-0000-4000-8000-00000000"
_UIDS = 1000


def host_name(node: int) -> str:
    """Return the name of a node."""
    return f"nid{node:05d}"


class Writer:
    """Turns placed jobs into rows."""

    def __init__(self, slice_s: float) -> None:
        """Set the length of the slices."""
        self._slice_ns = round(slice_s * 1e9)
        self._number = 0

    def processes(self, places: Sequence[PlacedJob], ranks_per_node: int) -> PartitionChunk:
        """Return the rows of table processes of some jobs."""
        count = np.array([len(each.nodes) * ranks_per_node for each in places])
        total = int(count.sum())
        job = np.repeat(np.arange(len(places)), count)
        rank = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
        nodes = np.concatenate([np.repeat(each.nodes, ranks_per_node) for each in places])
        start, end = (
            np.array([round((EPOCH_S + getattr(each, name)) * 1e9) for each in places])
            for name in ("start_s", "end_s")
        )
        programs = sorted({each.program for each in places})
        number = np.array([programs.index(each.program) for each in places])

        def text(of: Sequence[str], by: Ints) -> pa.Array:
            return pa.array(np.array(of, dtype=object), pa.string()).take(pa.array(by))

        hosts, by_host = np.unique(nodes, return_inverse=True)
        names = [host_name(int(node)) for node in hosts]
        first = self._number
        self._number += total
        columns: dict[str, Any] = {
            "process": [
                process_id(None, each.job, k, round(each.start_s), 0)
                for each, size in zip(places, count, strict=True)
                for k in range(size)
            ],
            "job": text([each.job for each in places], job),
            "host": text(names, by_host),
            "boot_id": text([f"{_BOOT}{node % 10000:04d}" for node in hosts], by_host),
            "pid": 1000 + (first + np.arange(total)) % 30000,
            "ppid": np.ones(total, np.int64),
            "sid": 1000 + rank,
            "uid": _UIDS + number[job],
            "gid": _UIDS + number[job],
            "part": np.zeros(total, np.int64),
            "program": text([f"/usr/bin/{each}" for each in programs], number[job]),
            "command": text([f"{each} input" for each in programs], number[job]),
            "library": ["0.9.0"] * total,
            "slice_ns": np.full(total, self._slice_ns),
            "start_ns": start[job],
            "end_ns": end[job],
            "end_reason": ["exit"] * total,
            "complete": np.ones(total, bool),
            "short": np.zeros(total, bool),
            "first_slice": start[job] // self._slice_ns,
            "last_slice": end[job] // self._slice_ns,
            "records": end[job] // self._slice_ns - start[job] // self._slice_ns + 1,
            "clock_error_us": np.full(total, 200),
            "revision": np.ones(total, np.int64),
            "mpi_state": np.full(total, 4),
            "mpi_adapter": np.ones(total, np.int64),
            "mpi_adapter_name": ["mpich"] * total,
            "mpi_library": ["Cray MPICH 5.6.2"] * total,
            "world": text([f"world-{each.job}" for each in places], job),
            "world_size": count[job],
            "world_rank": rank,
            "spawned": np.zeros(total, bool),
            "mpi_init_ns": start[job],
            "mpi_ready_ns": start[job],
            "mpi_finalize_ns": end[job],
            "mpi_end_ns": end[job],
            "launcher": ["aprun"] * total,
        }
        zeros = (
            "clock_state",
            "clock_steps",
            "lost_threads",
            "thread_level",
            "omp_threads",
            "appnum",
        )
        columns |= {name: np.zeros(total, np.int64) for name in zeros}
        return PartitionChunk("processes", _table("processes", columns, total), 0, 0)

    def slices(self, runs: Sequence[PlacedRun], sent_bytes: float) -> Iterator[PartitionChunk]:
        """Return the rows of slices of some runs.

        Args:
            runs: The runs.
            sent_bytes: Total bytes that each rank sends.
        """
        sources: list[ProcessSource] = []
        parts = []
        for run in runs:
            place = run.place
            process = len(sources) + np.arange(len(place.nodes) * RANKS_PER_NODE)
            for rank in range(len(process)):
                key = process_id(None, place.job, rank, round(place.start_s), 0)
                host = host_name(int(place.nodes[rank // RANKS_PER_NODE]))
                sources.append(ProcessSource(key, place.job, host, self._slice_ns, []))
            parts.append(self._of(run, process, sent_bytes))
        rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        nothing = {name: np.zeros(0, np.int64) for name in ("process", "slice", "span", "slot")}
        batch = SliceBatch(sources, np.arange(len(sources)), pa.table(rows), pa.table(nothing))
        yield from partition_chunks(batch)

    def _of(self, run: PlacedRun, process: Ints, sent_bytes: float) -> dict[str, Ints]:
        start = round((EPOCH_S + run.place.start_s) * 1e9)
        end = round((EPOCH_S + run.place.end_s) * 1e9)
        edges = np.arange(start // self._slice_ns, end // self._slice_ns + 1)
        lived = np.minimum((edges + 1) * self._slice_ns, end) - np.maximum(
            edges * self._slice_ns, start
        )
        part = lived / lived.sum()  # share of the run's time
        pace = run.slice_rates if len(run.slice_rates) else np.full(len(edges), run.rate)
        pace = np.resize(pace, len(edges)) / run.rate
        in_collectives = np.repeat(run.collective_s, GROUP)
        # The others wait for the rank that computes longest: all ranks take the same time.
        left = run.place.end_s - run.place.start_s - OTHER_S - run.compute_s - in_collectives
        collective = in_collectives[:, None] * part * 1e9
        p2p = np.maximum(left, 0.0)[:, None] * part * 1e9
        # The time in MPI is the same in every slice: where messages are slow, fewer are sent.
        weight = part * pace / (part * pace).sum() * sent_bytes
        sent = np.broadcast_to(weight, collective.shape)
        compute = run.compute_s[:, None] * part * 1e9
        count = len(process) * len(edges)
        shares = {
            "os_user_ns": compute + collective + p2p,
            "mpi_all_to_all_ops": sent * BYTES_IN_COLLECTIVES / 16_384,
            "mpi_all_to_all_bytes": sent * BYTES_IN_COLLECTIVES,
            "mpi_all_to_all_ns": collective,
            "mpi_send_ops": sent * (1 - BYTES_IN_COLLECTIVES) / 393_216,
            "mpi_send_bytes": sent * (1 - BYTES_IN_COLLECTIVES),
            "mpi_send_ns": 0.3 * p2p,
            "mpi_recv_ns": 0.7 * p2p,
            "state_collective_ns": collective,
            "state_p2p_ns": p2p,
        }
        rows: dict[str, Ints] = {
            "process": np.repeat(process, len(edges)),
            "slice": np.tile(edges, len(process)),
            "span": np.ones(count, np.int32),
        }
        return rows | {
            name: np.rint(np.broadcast_to(each, collective.shape)).astype(np.int64).ravel()
            for name, each in shares.items()
        }

    def communicators(self, runs: Sequence[PlacedRun], sent: float) -> Iterator[PartitionChunk]:
        """Return the rows of communicators, and of the data that ranks sent in collectives."""
        for name, length, rows_of in (
            ("communicators", DAY_NS, self._groups),
            ("collective_slices", HOUR_NS, self._given),
        ):
            starts = [round((EPOCH_S + run.place.start_s) * 1e9) // length for run in runs]
            for number in dict.fromkeys(starts):
                some = [run for run, start in zip(runs, starts, strict=True) if start == number]
                table = pa.concat_tables([rows_of(run.place, sent) for run in some])
                yield PartitionChunk(name, table, number * length, (number + 1) * length)

    def _groups(self, place: PlacedJob, _sent: float) -> pa.Table:
        keys, ranks = _keys(place)
        groups = ranks.reshape(-1, GROUP)
        columns: dict[str, Any] = {
            "job": [place.job] * len(groups),
            "process": keys[::GROUP],
            "communicator": 1 + np.arange(len(groups)),
            "size": np.full(len(groups), GROUP),
            "ranks": groups.tolist(),
        }
        return _table("communicators", columns, len(groups))

    def _given(self, place: PlacedJob, sent: float) -> pa.Table:
        keys, ranks = _keys(place)
        count = len(ranks)
        start = round((EPOCH_S + place.start_s) * 1e9)
        columns: dict[str, Any] = {
            "job": [place.job] * count,
            "process": keys,
            "host": [host_name(int(place.nodes[rank // RANKS_PER_NODE])) for rank in ranks],
            "rank": ranks,
            "slice": np.full(count, start // self._slice_ns),
            "slice_ns": np.full(count, self._slice_ns),
            "span": np.ones(count, np.int32),
            "communicator": 1 + ranks // GROUP,
            "operation": ["MPI_Alltoall"] * count,
            "root": np.full(count, -1),
            "ops": np.full(count, round(sent * BYTES_IN_COLLECTIVES / 16_384)),
            "bytes": np.full(count, round(sent * BYTES_IN_COLLECTIVES)),
        }
        return _table("collective_slices", columns, count)


def _keys(place: PlacedJob) -> tuple[list[int], Ints]:
    """Return the ids of the processes of a run, and their ranks."""
    ranks = np.arange(len(place.nodes) * RANKS_PER_NODE)
    return [
        process_id(None, place.job, int(rank), round(place.start_s), 0) for rank in ranks
    ], ranks


def _table(name: str, columns: dict[str, Any], rows: int) -> pa.Table:
    layout = TABLES[name]
    types = {**layout.keys, **{key: layout.values[key] for key in columns if key in layout.values}}
    return pa.table(
        {
            key: pa.array(columns[key], kind)
            if key in columns and not isinstance(columns[key], pa.Array)
            else columns.get(key, pa.nulls(rows, kind))
            for key, kind in types.items()
        }
    )


def even(mean: float, ranks: int, rng: np.random.Generator) -> Floats:
    """Draw computation times of ranks: from a few percent below their mean to a sixth above it."""
    free = np.clip(rng.gamma(3.0, 0.012, ranks) - 0.036, -0.06, 0.16)
    times: Floats = mean * (1 + free)
    return times
