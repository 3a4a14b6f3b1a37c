"""Writes synthetic machines, their components, and the components' slices into a repository.

The counters agree with the slices of synthetic jobs: those of a mount on a node include the
requests of the node's jobs and of unprofiled load; those of a server are sums over its clients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.writing import (
    MARKER,
    TABLES,
    Change,
    Log,
    PartitionChunk,
    mount_identity,
    process_id,
    publish,
    write_chunks,
)
from jostle.schema.settings import DEFAULT_SLICE_NS
from jostle_lab.synthetic.injected.model import Fault, Injected
from jostle_lab.synthetic.injected.rows import mount_of
from jostle_lab.synthetic.injected.schedule import EPOCH_S
from jostle_lab.synthetic.machines.component_rows import component_rows
from jostle_lab.synthetic.machines.counters import (
    SERVER_CAPACITY,
    Component,
    FileSystem,
    Floats,
    Stretch,
    daily_factors,
)
from jostle_lab.synthetic.machines.gpus import gpu_components
from jostle_lab.synthetic.machines.traffic import Traffic, client, drawn, of_jobs, unprofiled

_BOOT = "0a0b0c0d-0000-4000-8000-0000"
_STRETCH_ROWS = 400_000  # component slices that are made at once


@dataclass(frozen=True)
class MachineSpec:
    """Machines without synthetic jobs.

    Attributes:
        nodes: Number of nodes, which are named node0000 and so on.
        slices: Number of slices.
        slice_s: Length of a slice, in seconds.
        mounts: Number of shared file systems, each with a server: server0 and so on.
        faults: The injected faults (no unprofiled jobs).
        gpus: Number of GPUs of each node, at most 8.
        noise: Standard deviation of the log of a service time, slice by slice.
        spread: Standard deviation of the permanent differences between healthy nodes.
    """

    nodes: int = 8
    slices: int = 900
    slice_s: float = DEFAULT_SLICE_NS / 1e9
    mounts: int = 1
    faults: tuple[Fault, ...] = ()
    gpus: int = 0
    noise: float = 0.10
    spread: float = 0.02


def plant_machines(
    of: Injected | Path, spec: MachineSpec | None = None, seed: int = 0
) -> dict[str, str]:
    """Write what agents on nodes and servers would have recorded into a repository.

    If the repository has synthetic jobs, nodes, file systems, slices and faults are those of the
    jobs, and only noise, spread and GPUs are taken from `spec`. Otherwise all are drawn from
    `spec`. Server k is the server of file system k.

    Args:
        of: A synthetic repository, or the folder of a new or existing repository.
        spec: Specification of the machines.
        seed: The same seed gives the same slices.

    Returns:
        Role of each host: node or server.
    """
    spec = spec or MachineSpec()
    rng = np.random.default_rng([seed, 26])
    path = of.path if isinstance(of, Injected) else Path(of).expanduser().absolute()
    if not (path / MARKER).exists():
        Repository(path, create=True).close()
    site = _Site(of if isinstance(of, Injected) else None, spec, rng)
    log = Log(path)
    for first in range(0, site.slices, site.step):
        count = min(site.step, site.slices - first)
        files = write_chunks(path, site.chunks(first, count))
        publish(path, log, Change("ingest", add=files))
    publish(path, log, Change("ingest", add=write_chunks(path, site.names())))
    return site.roles


def machine_slices(spec: MachineSpec, seed: int = 0) -> Iterator[pa.Table]:
    """Return the rows that `plant_machines` would write for machines without jobs.

    Yields:
        Rows of table component_slices, one span of time after another; columns that are zero in all
        of them are missing.
    """
    site = _Site(None, spec, np.random.default_rng([seed, 26]))
    for first in range(0, site.slices, site.step):
        for chunk in site.chunks(first, min(site.step, site.slices - first)):
            yield chunk.rows


class _Site:
    """The machines of a site."""

    def __init__(
        self, injected: Injected | None, spec: MachineSpec, rng: np.random.Generator
    ) -> None:
        self._injected, self._spec, self._rng = injected, spec, rng
        self.hosts = [f"node{number:04d}" for number in range(spec.nodes)]
        self.faults, mounts = spec.faults, spec.mounts
        self._slice_s, self.slices = spec.slice_s, spec.slices
        if injected is not None:
            self.hosts = sorted({node for job in injected.jobs.values() for node in job.nodes})
            self.faults, mounts = injected.spec.faults, injected.spec.mounts
            self._slice_s = injected.spec.slice_s
            last = max(job.end_ns for job in injected.jobs.values()) / 1e9 - EPOCH_S
            self.slices = int(last // self._slice_s) + 1
        self._slice_ns = round(self._slice_s * 1e9)
        self._first = EPOCH_S * 1_000_000_000 // self._slice_ns
        self._mounts = [
            FileSystem(mount_identity("", *mount_of(number)), *mount_of(number))
            for number in range(mounts)
        ]
        self.roles = {
            **dict.fromkeys(self.hosts, "node"),
            **{f"server{number}": "server" for number in range(mounts)},
        }
        rows = len(self.hosts) * (3 + spec.gpus + mounts) + 5 * mounts
        self.step = max(1, _STRETCH_ROWS // rows)
        size = len(self.hosts)
        self._traits = {
            name: np.exp(spread * rng.standard_normal(size))
            for name, spread in (
                ("mount", spec.spread),
                ("disk", spec.spread),
                ("cores", spec.spread / 10),
                ("errors", 1.0),
            )
        }
        days = int(self.slices * self._slice_s // 86_400) + 1
        self._daily = daily_factors(size, days, rng)
        self._known: dict[tuple[str, str, str, str], dict[str, Any]] = {}

    def _traffic(self, first: int, count: int, seconds: Floats) -> Traffic:
        names = [mount.mount for mount in self._mounts]
        whole = drawn(len(self.hosts), count, len(names), self._slice_s, self._rng, SERVER_CAPACITY)
        if self._injected is not None:
            jobs = of_jobs(self._injected, self.hosts, names, self._first + first, count)
            whole = Traffic([jobs], whole.disk)
        for fault in self.faults:
            if fault.kind == "unprofiled load":
                whole.loads.append(client(fault, self.hosts, seconds, self._slice_s))
            if fault.kind == "unprofiled job" and self._injected is not None:
                at = self._first + first
                whole.loads.append(unprofiled(self._injected, fault, self.hosts, names, at, count))
        return whole

    def chunks(self, first: int, count: int) -> Iterator[PartitionChunk]:
        """Return the component slices of some slices."""
        seconds = np.arange(first, first + count, dtype=np.float64) * self._slice_s
        stretch = Stretch(
            self.hosts,
            self._mounts,
            self._traffic(first, count, seconds),
            seconds,
            self._slice_s,
            self.faults,
            self._traits,
            self._daily,
            self._spec.noise,
            self._rng,
        )
        every: list[tuple[dict[str, Any], Component]] = []
        for row, host in enumerate(self.hosts):
            every += [(self._name(host, each), each) for each in stretch.node(row)]
            every += [
                (self._name(host, each), each)
                for each in gpu_components(stretch, row, self._spec.gpus)
            ]
        for number in range(len(self._mounts)):
            every += [
                (self._name(f"server{number}", each), each) for each in stretch.server(number)
            ]
        yield from component_rows(every, self._first + first, count, self._slice_ns)

    def _name(self, host: str, component: Component) -> dict[str, Any]:
        """Return a component's row of table components."""
        key = (host, component.kind, component.name, component.job)
        if key not in self._known:
            number = sum(1 for known in self._known if known[0] == host)
            self._known[key] = {
                "machine": _machine_id(self.hosts, host),
                "host": host,
                "component": number,
                "kind": component.kind,
                "name": component.name,
                "source": component.source,
                "mount": component.mount,
                "job": component.job,
                "path": component.path,
                "major": 0,
                "minor": 0,
                "numa": -1,
                "pid": 0,
                "uid": -1,
            }
        return self._known[key]

    def names(self) -> Iterator[PartitionChunk]:
        """Return the rows of machines and components."""
        start = self._first * self._slice_ns
        last = self._first + self.slices - 1
        machines = [
            {
                "machine": _machine_id(self.hosts, host),
                "host": host,
                "role": role,
                "boot_id": _boot(self.hosts, host),
                "pid": 77,
                "part": 0,
                "library": "0.6.0",
                "slice_ns": self._slice_ns,
                "start_ns": start,
                "end_ns": (last + 1) * self._slice_ns,
                "end_reason": "exit",
                "complete": True,
                "first_slice": self._first,
                "last_slice": last,
                "records": self.slices,
                "clock_state": 0,
                "clock_error_us": 200,
                "clock_steps": 0,
                "notes": [],
                "warnings": [],
                "revision": 1,
            }
            for host, role in self.roles.items()
        ]
        for table, rows in (("machines", machines), ("components", list(self._known.values()))):
            schema = pa.schema(list(TABLES[table].keys.items()))
            yield PartitionChunk(table, pa.Table.from_pylist(rows, schema), 0, 0)


def _boot(hosts: list[str], host: str) -> str:
    number = hosts.index(host) if host in hosts else 0xF000 + int(host.removeprefix("server"))
    return f"{_BOOT}{number:08x}"


def _machine_id(hosts: list[str], host: str) -> int:
    return process_id(None, _boot(hosts, host), 77, EPOCH_S * 10**9, 0)
