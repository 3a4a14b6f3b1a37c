"""Makes a synthetic training job without MPI: ranks on GPUs of one node that use NCCL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from jostle.repository.writing import (
    TABLES,
    Change,
    Log,
    PartitionChunk,
    Position,
    ProcessSource,
    Reached,
    SliceBatch,
    partition_chunks,
    process_id,
    publish,
    write_chunks,
)
from jostle_lab.synthetic.injected.schedule import EPOCH_S
from jostle_lab.synthetic.machines.gpus import PLACES

_SLICE_NS = 1_000_000_000
_BOOT = "0a0b0c0d-0000-4000-8000-0000000000ff"
#: Metrics of a rank per second of training: gradients are 1.5 GiB, a step takes 0.1 s.
_RANK = {
    "os_user_ns": 0.9e9,
    "os_system_ns": 0.1e9,
    "gpu_wait_ns": 0.75e9,
    "gpu_wait_ops": 10,
    "state_collective_ns": 2e6,
    "ccl_all_to_all_ops": 60,
    "ccl_all_to_all_bytes": 16.1e9,
    "ccl_all_to_all_ns": 0.3e9,
    "ccl_one_to_all_ops": 1,
    "ccl_one_to_all_bytes": 4096,
    "ccl_one_to_all_ns": 1e5,
}
_GPU = {
    "gpu_h2d_ops": 40,
    "gpu_h2d_bytes": 1.2e9,
    "gpu_h2d_ns": 0.05e9,
    "gpu_d2h_ops": 10,
    "gpu_d2h_bytes": 40e3,
    "gpu_d2h_ns": 1e5,
    "gpu_d2d_ops": 100,
    "gpu_d2d_bytes": 2e9,
    "gpu_d2d_ns": 2e6,
    "gpu_peer_ops": 12,
    "gpu_peer_bytes": 0.8e9,
    "gpu_peer_ns": 0.01e9,
    "gpu_launch_ops": 5000,
    "gpu_busy_ns": 0.9e9,
}
#: Seconds between checkpoints, which are copied back, and seconds that this takes.
_EVERY, _LASTS, _CHECKPOINT = 45, 4, 4e9


def plant_training(
    path: Path | str,
    job: str = "train-0000",
    host: str = "node0000",
    gpus: int = 4,
    seconds: int = 180,
    begin_s: int = 20,
    seed: int = 0,
) -> None:
    """Add a training job to a repository: a rank for each GPU, and no segments.

    Args:
        path: Path of the repository.
        job: Name of the job.
        host: Node of the job.
        gpus: Number of the job's GPUs, at most 8.
        seconds: Run time of the job, in seconds.
        begin_s: Start of the job, s after the start of synthetic time.
        seed: The same seed gives the same rows.
    """
    path, rng = Path(path).expanduser().absolute(), np.random.default_rng([seed, 29])
    first = EPOCH_S + begin_s
    sources = [_source(job, host, rank, first) for rank in range(gpus)]
    rank, at = (axis.ravel() for axis in np.indices((gpus, seconds)))
    trains = at % _EVERY < _EVERY - _LASTS
    work = np.where(trains, 1 + 0.02 * rng.standard_normal(len(at)), 0.0)
    keys = {"process": rank, "slice": first + at, "span": np.ones(len(at), dtype=np.int32)}
    own = {name: (value * work).astype(np.int64) for name, value in _RANK.items()}
    own["os_user_ns"] = np.where(trains, own["os_user_ns"], 200_000_000)
    done = {name: (value * work).astype(np.int64) for name, value in _GPU.items()}
    done["gpu_d2h_bytes"] += np.where(trains, 0, int(_CHECKPOINT))
    done["gpu_d2h_ns"] += np.where(trains, 0, 160_000_000)
    # A process also has the metrics of its GPU.
    batch = SliceBatch(
        sources,
        np.arange(gpus),
        pa.table({**keys, **own, **done}),
        pa.table({}),
        {},
        pa.table({**keys, "place": np.zeros(len(at), dtype=np.int64), **done}),
    )
    files = write_chunks(path, [*partition_chunks(batch), *_names(sources, job, first, seconds)])
    end = max(file.hi for file in files)
    reached: dict[int, tuple[Position, Reached]] = {
        source.process: (Position(), end) for source in sources
    }
    publish(path, Log(path), Change("ingest", add=files, advance=reached))


def _source(job: str, host: str, rank: int, first: int) -> ProcessSource:
    key = process_id(None, _BOOT, 70_000 + rank, first * _SLICE_NS, 0)
    name, path = PLACES[rank]
    row = {
        "job": job,
        "host": host,
        "gpu": name,
        "pci": name,
        "uuid": f"GPU-{rank}",
        "name": "NVIDIA H100 80GB HBM3",
        "pci_path": path,
        "numa": rank // 4,
        "memory_bytes": 85_899_345_920,
    }
    return ProcessSource(key, job, host, _SLICE_NS, [], gpus=[name], gpu_rows=[row])


def _names(
    sources: list[ProcessSource], job: str, first: int, seconds: int
) -> Iterator[PartitionChunk]:
    """Return the rows of processes and GPUs."""
    start, end = first * _SLICE_NS, (first + seconds) * _SLICE_NS
    processes = [
        {
            "process": source.process,
            "job": job,
            "host": source.host,
            "boot_id": _BOOT,
            "pid": 70_000 + rank,
            "ppid": 1,
            "sid": 70_000,
            "uid": 60_000,
            "gid": 60_000,
            "part": 0,
            "program": "/usr/bin/python3.11",
            "command": "python train.py",
            "library": "0.5.0",
            "script": "train.py",
            "slice_ns": _SLICE_NS,
            "start_ns": start,
            "end_ns": end,
            "end_reason": "exit",
            "complete": True,
            "short": False,
            "first_slice": first,
            "last_slice": first + seconds - 1,
            "records": seconds,
            "clock_state": 0,
            "clock_error_us": 200,
            "clock_steps": 0,
            "lost_threads": 0,
            "notes": [],
            "warnings": [],
            "revision": 1,
            "spawned": False,
            "mpi_state": 4,
            "mpi_adapter": 3,
            "mpi_adapter_name": "ccl",
            "launcher": "torch",
            "mpi_library": "NCCL 2.27.3",
            "world": f"world-{job}",
            "world_size": len(sources),
            "world_rank": rank,
            "mpi_init_ns": start,
            "mpi_ready_ns": start,
            "mpi_finalize_ns": end,
            "mpi_end_ns": end,
        }
        for rank, source in enumerate(sources)
    ]
    gpus = [row for source in sources for row in source.gpu_rows]
    for table, rows in (("processes", processes), ("gpus", gpus)):
        schema = pa.schema(list(TABLES[table].keys.items()))
        yield PartitionChunk(table, pa.Table.from_pylist(rows, schema), 0, 0)
