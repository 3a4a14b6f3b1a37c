"""Makes a synthetic network (fabric), and messages of MPI jobs that load the network's links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.writing import (
    HOUR_NS,
    TABLES,
    Change,
    Log,
    PartitionChunk,
    publish,
    write_chunks,
)
from jostle.topology import Topology
from jostle.topology.store import FOLDER, save

_SECOND = 1_000_000_000
_RATE = 5e7  # bytes per second that a rank sends, times a factor of its program


def plant_fabric(path: Path, topology: Topology, *, seed: int, jobs: int | None = None) -> None:
    """Add a fabric to a synthetic repository, and the messages between ranks of its jobs.

    Each job sends in bursts of some seconds, by one of three patterns: ranks send to their
    neighbours in a ring, all ranks send to all, or the two halves of the ranks swap data.

    Args:
        path: The repository; its MPI jobs have worlds and ranks.
        topology: The fabric; its hosts are the jobs' nodes.
        seed: Seed of the random patterns and amounts.
        jobs: Number of jobs, by order of names, that send messages; None: all jobs.
    """
    save(path / FOLDER, topology)
    rows = (
        Repository(path)
        .query(
            "SELECT job, process, host, world_rank AS rank, world_size AS size, start_ns, end_ns "
            "FROM processes WHERE world_size > 1 ORDER BY job, world_rank"
        )
        .to_pylist()
    )
    draw = np.random.default_rng(seed)
    names = list(dict.fromkeys(row["job"] for row in rows))[:jobs]
    tables = [
        table
        for job in names
        if (table := _messages([row for row in rows if row["job"] == job], draw)) is not None
    ]
    if not tables:
        return
    whole = pa.concat_tables(tables)
    start = whole["slice"].to_numpy() * _SECOND
    chunks = [
        PartitionChunk(
            "peer_slices",
            whole.filter(pa.array(start // HOUR_NS == hour)),
            int(hour * HOUR_NS),
            int((hour + 1) * HOUR_NS),
        )
        for hour in np.unique(start // HOUR_NS)
    ]
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))


def _messages(ranks: list[dict[str, object]], draw: np.random.Generator) -> pa.Table | None:
    """Return the message rows of one job."""
    many = len(ranks)
    if many < 2:
        return None
    kind, level, period = (
        draw.integers(3),
        _RATE * 10 ** draw.uniform(-0.6, 0.8),
        draw.uniform(6, 30),
    )
    peers = {
        0: [[(k + 1) % many, (k - 1) % many] for k in range(many)],
        1: [[other for other in range(many) if other != k] for k in range(many)],
        2: [[(k + many // 2) % many] for k in range(many)],
    }[int(kind)]
    pairs = sorted({(k, peer) for k, of in enumerate(peers) for peer in of if peer != k})
    begin = min(int(str(row["start_ns"])) for row in ranks) // _SECOND
    end = max(int(str(row["end_ns"])) for row in ranks) // _SECOND
    slices = np.arange(begin, end)
    loud = 0.15 + (np.sin(2 * np.pi * slices / period + draw.uniform(0, 6)) > 0)
    source, target = (np.array(column) for column in zip(*pairs, strict=True))
    number = len(slices) * len(pairs)
    sent = np.outer(loud, np.full(len(pairs), level * many / len(pairs)))
    sent *= draw.uniform(0.8, 1.2, sent.shape)
    of = np.tile(source, len(slices))
    columns = {
        "job": np.full(number, str(ranks[0]["job"])),
        "process": np.array([row["process"] for row in ranks])[of],
        "host": np.array([row["host"] for row in ranks])[of],
        "rank": of,
        "slice": np.repeat(slices, len(pairs)),
        "slice_ns": np.full(number, _SECOND),
        "span": np.ones(number, np.int32),
        "peer": np.tile(target, len(slices)),
        "sent_ops": (sent.ravel() / 65536).astype(int) + 1,
        "sent_bytes": sent.ravel().astype(int),
    }
    layout = TABLES["peer_slices"]
    kinds = {**layout.keys, **layout.values}
    return pa.table({name: pa.array(values).cast(kinds[name]) for name, values in columns.items()})
