"""Makes a job that both writes and opens files, with jobs that do either, on any mount.

The truth is given: how much longer a write took in each slice, and how much longer an open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from alongside_maker import MIB, SLICE_NS, START, Floats, noise, table

from jostle.repository.query.resources.co_running import (
    MOUNT_METRICS,
    MOUNT_TIMES,
    NODE_METRICS,
    NODE_TIMES,
    CoRunning,
    JobFacts,
)
from jostle.repository.query.resources.machine_loads import SERVED, MachineLoads

SIZE = 240
#: One of each type of file system with metadata servers of its own.
SEPARATE = (
    "lustre:mds@tcp:/fs",
    "gpfs:scratch",
    "beegfs:beegfs_nodev",
    "ceph:admin@4d2b71c3-9f6a-4c11-8e2c-0a4de5b51c11.cephfs=/",
    "ceph-fuse:/mnt/cephfs",
)
_MOUNT_COLUMNS = (*MOUNT_METRICS, *(f"{name}_max" for name in MOUNT_TIMES))
_NODE_COLUMNS = (
    *NODE_METRICS,
    *(f"{name}_{what}" for name in NODE_TIMES for what in ("max", "min")),
)


@dataclass
class Files:
    """A job of one process that writes 1 MiB and opens files all the time, and its neighbours.

    Attributes:
        mount: Identity of the mount.
        writes: Times as long as undisturbed that a write took, per slice.
        opens: The same of an open.
        syncs: The same of a sync, of which each write has one; None: no syncs.
        writers: Name -> bytes that it writes per slice.
        storms: Name -> files that it opens per slice.
        seed: Of the noise.
    """

    mount: str
    writes: Floats = field(default_factory=lambda: np.ones(SIZE))
    opens: Floats = field(default_factory=lambda: np.ones(SIZE))
    syncs: Floats | None = None
    writers: Mapping[str, Floats] = field(default_factory=dict)
    storms: Mapping[str, Floats] = field(default_factory=dict)
    seed: int = 0

    @property
    def seconds(self) -> tuple[Floats, Floats]:
        """Time of a write, and of an open."""
        return (
            0.01 * self.writes * noise(SIZE, self.seed),
            0.002 * self.opens * noise(SIZE, self.seed + 500),
        )

    def make(self) -> CoRunning:
        """Gives the tables."""
        write_s, open_s = self.seconds
        # In turn five opens and one write, with as much time between as both take undisturbed.
        rounds = np.round(1 / (write_s + 5 * open_s + 0.02))
        at = np.arange(SIZE)
        write_ns, open_ns = rounds * write_s * 1e9, 5 * rounds * open_s * 1e9
        sync_ops = np.zeros(SIZE) if self.syncs is None else rounds
        sync_ns = sync_ops * 5e6 * (1.0 if self.syncs is None else self.syncs)
        sync_ns *= noise(SIZE, self.seed + 900)
        own = table(
            {
                "mount": [self.mount] * SIZE,
                "slice": (START + at).astype(float),
                "slice_ns": np.full(SIZE, SLICE_NS),
                "count": np.ones(SIZE),
                "posix_write_ops": rounds,
                "posix_write_bytes": rounds * MIB,
                "posix_write_ns": write_ns,
                "posix_write_ns_max": write_ns,
                "posix_sync_ops": sync_ops,
                "posix_sync_ns": sync_ns,
                "posix_sync_ns_max": sync_ns,
                "posix_open_ops": 5 * rounds,
                "posix_meta_ns": open_ns,
                "posix_meta_ns_max": open_ns,
            },
            _MOUNT_COLUMNS,
        )
        jobs = {name: _fact(name) for name in ("me", *self.writers, *self.storms)}
        loads = [
            self._load(name, posix_write_ops=moved / MIB, posix_write_bytes=moved)
            for name, moved in self.writers.items()
        ] + [
            self._load(name, posix_open_ops=opened, posix_close_ops=opened)
            for name, opened in self.storms.items()
        ]
        nobody = own.slice(0, 0).add_column(0, "job", pa.array([], pa.string()))
        return CoRunning(
            jobs.pop("me"),
            jobs,
            own,
            table(
                {"host": [], "slice": np.zeros(0), "slice_ns": np.zeros(0), "count": np.zeros(0)},
                _NODE_COLUMNS,
            ),
            pa.concat_tables(loads) if loads else nobody,
            table({"job": [], "host": [], "slice": np.zeros(0)}, ("slice_ns", "count", "cpu_ns")),
            table({"job": [], "slice": np.zeros(0)}, ("slice_ns", "count", "bytes", "ops", "ns")),
        )

    def _load(self, name: str, **columns: Floats) -> pa.Table:
        on = np.flatnonzero(next(iter(columns.values())) > 0)
        return table(
            {
                "job": [name] * len(on),
                "mount": [self.mount] * len(on),
                "slice": (START + on).astype(float),
                "slice_ns": np.full(len(on), SLICE_NS),
                "count": np.ones(len(on)),
                **{column: values[on] for column, values in columns.items()},
            },
            _MOUNT_COLUMNS,
        )


def _fact(name: str) -> JobFacts:
    return JobFacts(
        job=name,
        program=f"/bin/{name}",
        user=1000,
        nodes=(f"node-{name}",),
        start_ns=START * SLICE_NS,
        end_ns=(START + SIZE) * SLICE_NS,
        slice_ns=SLICE_NS,
        clocks=("one",),
    )


def opened(load: Floats) -> Floats:
    """Files that a storm opens, from a load of alongside_maker.bursts (40 to 60 MiB while on)."""
    return np.round(load / (50 * MIB) * 1000)


def slowed(load: Floats, cost: float = 0.8) -> Floats:
    """How much longer calls take alongside a load of alongside_maker.bursts."""
    return 1 + cost * load / (50 * MIB)


def server_rows(
    mount: str, host: str, kind: str, name: str, ops: Floats, seconds: Floats | None = None
) -> pa.Table:
    """Counters of a server: metadata operations, and their time (s) per slice."""
    size = len(ops)
    columns: dict[str, Any] = {
        "mount": [mount] * size,
        "host": [host] * size,
        "kind": [kind] * size,
        "name": [name] * size,
        "job": [""] * size,
        "slice": START + np.arange(size),
        "slice_ns": np.full(size, SLICE_NS),
        "span": np.ones(size, np.int64),
    }
    columns |= {name: np.zeros(size, np.int64) for name in SERVED}
    columns["storage_meta_ops"] = ops.astype(np.int64)
    if seconds is not None:
        columns["storage_meta_ns"] = (seconds * 1e9).astype(np.int64)
    return pa.table(columns)


def client_rows(mount: str, host: str, ops: Floats) -> pa.Table:
    """Counters of a client, or of profiles there: metadata operations per slice."""
    size = len(ops)
    return pa.table(
        {
            "mount": [mount] * size,
            "host": [host] * size,
            "slice": START + np.arange(size),
            "slice_ns": np.full(size, SLICE_NS),
            "span": np.ones(size, np.int64),
            "read_bytes": np.zeros(size, np.int64),
            "write_bytes": np.zeros(size, np.int64),
            "meta_ops": ops.astype(np.int64),
        }
    )


def with_machines(alongside: CoRunning, **tables: list[pa.Table]) -> CoRunning:
    """Adds what agents counted: lists of tables, by attribute of MachineLoads."""
    mount = alongside.own_mounts["mount"][0].as_py()
    joined: dict[str, Any] = {name: pa.concat_tables(rows) for name, rows in tables.items() if rows}
    return replace(alongside, machines=MachineLoads(**joined, places={mount: (mount,)}))
