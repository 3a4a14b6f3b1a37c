"""Makes the records of a simulated site's agents: nodes, disks, ports, mounts, file servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.writing import TABLES, PartitionChunk, Position, process_id
from jostle_lab.synthetic.injected.model import Fault
from jostle_lab.synthetic.machines.component_rows import component_rows
from jostle_lab.synthetic.machines.counters import Component, FileSystem, Stretch, daily_factors
from jostle_lab.synthetic.machines.traffic import ASKED, Load, Traffic, nothing
from jostle_lab.synthetic.site.block import Block
from jostle_lab.synthetic.site.course import Course, Interval
from jostle_lab.synthetic.site.mix import JobMix
from jostle_lab.synthetic.site.processes import boot_id, host_name, identity, scratch
from jostle_lab.synthetic.site.spec import SiteSpec

Floats = NDArray[np.float64]
_PID = 77
_NOISE, _SPREAD = 0.1, 0.02
#: Metrics of a job on its file system -> the metric of requests by the file system's client.
_CALLS = {
    "posix_read_bytes": "read_bytes",
    "posix_read_ops": "read_ops",
    "posix_write_bytes": "write_bytes",
    "posix_write_ops": "write_ops",
    "posix_meta_ops": "meta_ops",
    "posix_open_ops": "meta_ops",
    "posix_close_ops": "meta_ops",
}


class Agents:
    """The agents of all nodes and of the scratch file systems' servers."""

    def __init__(self, spec: SiteSpec, jobs: JobMix, course: Course) -> None:
        self._spec, self._jobs, self._course = spec, jobs, course
        self._draw = np.random.default_rng([spec.seed, 6])
        self._hosts = [host_name(node) for node in range(spec.nodes)]
        self._mounts = [
            FileSystem(identity(*scratch(number)), *scratch(number))
            for number in range(spec.file_systems)
        ]
        spreads = {"mount": _SPREAD, "disk": _SPREAD, "cores": _SPREAD / 10, "errors": 1.0}
        self._traits = {
            name: np.exp(spread * self._draw.standard_normal(spec.nodes))
            for name, spread in spreads.items()
        }
        days = int(spec.slices * spec.slice_s // 86_400) + 1
        self._daily = daily_factors(spec.nodes, days, self._draw)
        self._faults = tuple(
            Fault(
                fault.kind,
                "" if fault.kind == "slow server" else host_name(fault.place),
                fault.size,
                fault.place if fault.kind == "slow server" else 0,
                fault.start_s,
                fault.end_s,
            )
            for fault in course.faults
            if fault.kind != "reboot"
        )
        self._known: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._components: dict[int, int] = {}
        self._position: dict[int, Position] = {}

    def add(
        self, interval: Interval, blocks: Sequence[Block]
    ) -> tuple[list[PartitionChunk], dict[int, tuple[Position, Position]]]:
        """Return the rows of an interval, and the new positions of the agents' profiles."""
        spec = self._spec
        slices = np.arange(interval.first, interval.first + interval.count, dtype=np.float64)
        seconds: Floats = slices * spec.slice_s
        stretch = Stretch(
            self._hosts,
            self._mounts,
            self._traffic(interval, blocks),
            seconds,
            spec.slice_s,
            self._faults,
            self._traits,
            self._daily,
            _NOISE,
            self._draw,
            spec.processes_per_node,
            spec.capacity,
        )
        before = len(self._known)
        every: list[tuple[dict[str, Any], Component]] = []
        lives: dict[int, dict[str, Any]] = {}
        for node, host in enumerate(self._hosts):
            components = list(stretch.node(node))
            for boot, alive in self._alive(node, seconds):
                machine = self._life(lives, host, boot_id(spec, node, boot), "node", node, boot)
                for each in components:
                    values = {name: value * alive for name, value in each.values.items()}
                    known = self._name(machine, host, each)
                    every.append((known, Component(each.kind, each.name, values=values)))
        for number in range(spec.file_systems):
            host = f"server{number}"
            boot_name = boot_id(spec, -1 - number)
            machine = self._life(lives, host, boot_name, "server", -1 - number, 0)
            every += [(self._name(machine, host, each), each) for each in stretch.server(number)]
        first = spec.first_slice + interval.first
        chunks = list(component_rows(every, first, interval.count, spec.slice_ns))
        fresh = list(self._known.values())[before:]
        chunks += self._named(lives, fresh, first + interval.count - 1)
        return chunks, self._advance(lives, interval)

    def _alive(self, node: int, seconds: Floats) -> Iterator[tuple[int, Floats]]:
        """Yield each boot of a node that was up in some of the slices, and 1 for those slices."""
        boot, begin = 0, -np.inf
        for fault in sorted(self._course.faults, key=lambda fault: fault.start_s):
            if fault.kind == "reboot" and fault.place == node:
                alive = (seconds >= begin) & (seconds < fault.start_s)
                if alive.any():
                    yield boot, alive.astype(float)
                boot, begin = boot + 1, fault.end_s
        alive = seconds >= begin
        if alive.any():
            yield boot, alive.astype(float)

    def _traffic(self, interval: Interval, blocks: Sequence[Block]) -> Traffic:
        """Sum the traffic of processes by node and slice."""
        spec = self._spec
        shape = (spec.nodes, interval.count)
        size = spec.nodes * interval.count
        load: Load = nothing(*shape)
        for block in blocks:
            nodes = np.concatenate([ranks.nodes for ranks in block.ranks])[block.place]
            at = nodes * interval.count + block.slice - interval.first
            used = block.metrics["os_user_ns"] + block.metrics["os_system_ns"]
            load.cpu_ns += np.bincount(at, used, size).reshape(shape)
            queued = block.metrics["os_runqueue_ns"]
            load.queued_ns += np.bincount(at, queued, size).reshape(shape)
            mounts = self._jobs.mount[[ranks.job for ranks in block.ranks]]
            of = mounts[block.job[block.scratch]]
            for number in np.unique(of).tolist():
                mine = of == number
                asked = load.asked.setdefault(number, {name: np.zeros(shape) for name in ASKED})
                for metric, name in _CALLS.items():
                    values = block.scratch_metrics[metric][mine]
                    where = at[block.scratch[mine]]
                    asked[name] += np.bincount(where, values, size).reshape(shape)
        disk = 0.02 * self._draw.random(shape)
        return Traffic([load], disk)

    def _life(
        self,
        lives: dict[int, dict[str, Any]],
        host: str,
        boot: str,
        role: str,
        node: int,
        times: int,
    ) -> int:
        """Record a span in which a machine was up; return the machine's ID."""
        spec = self._spec
        begins = [
            fault.end_s
            for fault in self._course.faults
            if fault.kind == "reboot" and fault.place == node
        ]
        start_s = 0.0 if not times else sorted(begins)[times - 1]
        start_ns = spec.first_slice * spec.slice_ns + round(start_s * 1e9)
        machine = process_id(None, boot, _PID, start_ns, 0)
        lives[machine] = {
            "machine": machine,
            "host": host,
            "role": role,
            "boot_id": boot,
            "pid": _PID,
            "part": 0,
            "library": "0.6.0",
            "slice_ns": spec.slice_ns,
            "start_ns": start_ns,
            "end_ns": 0,
            "end_reason": "",
            "complete": False,
            "first_slice": start_ns // spec.slice_ns,
            "clock_state": 0,
            "clock_error_us": 200,
            "clock_steps": 0,
            "notes": [],
            "warnings": [],
        }
        return machine

    def _name(self, machine: int, host: str, component: Component) -> dict[str, Any]:
        """Return a component's row of table components."""
        key = (machine, component.kind, component.name)
        if key not in self._known:
            number = self._components.get(machine, 0)
            self._components[machine] = number + 1
            self._known[key] = {
                "machine": machine,
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

    def _named(
        self, lives: dict[int, dict[str, Any]], fresh: list[dict[str, Any]], last: int
    ) -> Iterator[PartitionChunk]:
        """Return rows of machines and components."""
        rows = [
            row
            | {
                "last_slice": last,
                "records": last - row["first_slice"] + 1,
                "revision": self._position.get(machine, Position()).revision + 1,
            }
            for machine, row in lives.items()
        ]
        for table, content in (("machines", rows), ("components", fresh)):
            if content:
                schema = pa.schema(list(TABLES[table].keys.items()))
                yield PartitionChunk(table, pa.Table.from_pylist(content, schema), 0, 0)

    def _advance(
        self, lives: dict[int, dict[str, Any]], interval: Interval
    ) -> dict[int, tuple[Position, Position]]:
        advance = {}
        last = self._spec.first_slice + interval.first + interval.count - 1
        for machine in lives:
            base = self._position.get(machine, Position())
            records = base.records + interval.count
            to = Position(records, base.revision + 1, last, self._components[machine])
            advance[machine] = (base, to)
            self._position[machine] = to
        return advance
