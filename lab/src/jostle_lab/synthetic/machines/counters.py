"""Turns the synthetic load of machines into the counters of their components.

Healthy components of one kind differ a little: permanently, since hardware varies, and from day to
day; now and then one is slow for a day. The time of their requests grows with the load.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.injected.model import Fault
from jostle_lab.synthetic.machines.traffic import REQUEST, Load, Traffic

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CORES = 16
FREQUENCY_KHZ = 2_600_000
SERVER_CAPACITY = 2.0e9  # bytes/s of a file system
DISK_CAPACITY = 4.0e8  # bytes/s of a node's disk
LINK_RATE = 25_000_000_000 // 2  # bytes/s
_SERVICE_S = 1.5e-3  # s of a request of 1 MiB to an idle file system
_DISK_SERVICE_S = 2.0e-3
_DISK_REQUEST = 128 * 1024
_PACKET = 4096
_MEMORY = 64 << 30
_RARE = 1e-9  # errors per packet of a healthy link


@dataclass
class Component:
    """A component and its counters.

    Attributes:
        kind, name, source, mount, job, path: As the columns of table components.
        values: Values of each metric of scope component, (slices,).
    """

    kind: str
    name: str
    source: str = ""
    mount: str = ""
    job: str = ""
    path: str = ""
    values: Mapping[str, Floats | Ints] = field(default_factory=dict)


@dataclass(frozen=True)
class FileSystem:
    """A shared file system: its name, mount point, type and source."""

    mount: str
    path: str
    fs_type: str
    source: str

    @property
    def is_lustre(self) -> bool:
        """Whether the file system is Lustre, whose storage targets count requests of each job."""
        return self.fs_type == "lustre"

    @property
    def name(self) -> str:
        """The name of the file system on its servers."""
        return self.source.rpartition("/")[2]


def daily_factors(nodes: int, days: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw the daily variation of healthy nodes, (nodes, days) for each kind."""
    factors = {}
    for name, size in (("mount", 0.04), ("disk", 0.04), ("cores", 0.002)):
        drift = rng.standard_normal((nodes, days))
        for day in range(1, days):  # half of the difference remains on the next day
            drift[:, day] = 0.5 * drift[:, day - 1] + np.sqrt(0.75) * drift[:, day]
        odd = (rng.random((nodes, days)) < 0.03) * np.abs(rng.standard_normal((nodes, days)))
        sign = -1.0 if name == "cores" else 1.0
        factors[name] = np.exp(size * (drift + sign * 8 * odd))
    return factors


@dataclass
class Stretch:
    """The input for the counters of one span of time.

    Attributes:
        hosts: All nodes.
        mounts: All file systems.
        traffic: The load in this span.
        seconds: Begin of each slice, s since the start of the synthetic time.
        slice_s: Length of a slice, in seconds.
        faults: All faults.
        traits: Permanent factors of the nodes for mount, disk, cores and errors, (nodes,) each.
        daily: Factors of each day for mount, disk and cores, (nodes, days) each.
        noise: Standard deviation of the log of a service time, slice by slice.
        rng: Source of random numbers.
        cores: Number of cores of each node.
        capacity: Capacity of each file system, bytes/s.
    """

    hosts: list[str]
    mounts: list[FileSystem]
    traffic: Traffic
    seconds: Floats
    slice_s: float
    faults: tuple[Fault, ...]
    traits: dict[str, Floats]
    daily: dict[str, Floats]
    noise: float
    rng: np.random.Generator
    cores: int = CORES
    capacity: float = SERVER_CAPACITY

    def __post_init__(self) -> None:
        days = (self.seconds // 86_400).astype(int)
        self._daily = {name: factor[:, days] for name, factor in self.daily.items()}
        self._service = [self._server_s(number) for number in range(len(self.mounts))]

    def acting(self, fault: Fault) -> Floats:
        """Return 1 for slices in which a fault acts, and 0 for others."""
        ends = self.seconds + self.slice_s
        return ((self.seconds < fault.end_s) & (ends > fault.start_s)).astype(float)

    def factor(self, kind: str, where: str, mount: int = 0) -> Floats:
        """Return, for each slice, the product of the sizes of acting faults of a kind; else 1."""
        factor = np.ones(len(self.seconds))
        for fault in self.faults:
            if fault.kind == kind and fault.where == where and fault.mount == mount:
                factor *= np.where(self.acting(fault) > 0, fault.size, 1.0)
        return factor

    def _moved(self, mount: int) -> Floats:
        asked = self.traffic.asked(mount)
        moved: Floats = asked["read_bytes"] + asked["write_bytes"]
        return moved

    def _jitter(self, *shape: int) -> Floats:
        jitter: Floats = np.exp(self.noise * self.rng.standard_normal(shape))
        return jitter

    def _server_s(self, mount: int) -> Floats:
        """Return the time of a request on a server in each slice."""
        used = self._moved(mount).sum(axis=0) / (self.capacity * self.slice_s)
        slow = self.factor("slow server", "", mount)
        crowd: Floats = 1 + used / (1.1 - np.minimum(used, 1.0))
        return _SERVICE_S * slow * crowd * self._jitter(len(self.seconds))

    # Nodes

    def node(self, row: int) -> Iterator[Component]:
        """Return the components of a node."""
        host = self.hosts[row]
        loads = self.traffic.loads
        cpu = np.sum([load.cpu_ns[row] for load in loads], axis=0)
        queued = np.sum([load.queued_ns[row] for load in loads], axis=0)
        yield self._machine(host, cpu, queued, row)
        yield self._disk(row)
        yield self._port(row)
        for number, mount in enumerate(self.mounts):
            yield self._client(row, number, mount)
        for load in self.traffic.loads[1:]:
            if load.batch and load.cpu_ns[row].any():
                yield self._batch_job(load, row)

    def _machine(self, host: str, cpu: Floats, queued: Floats, row: int | None) -> Component:
        whole = self.cores * self.slice_s * 1e9
        busy = np.minimum(cpu, 0.98 * whole)
        left = self.factor("throttled node", host)
        works = busy / whole
        own: float | Floats = 1.0
        if row is not None:
            own = self.traits["cores"][row] * self._daily["cores"][row]
        near = 1 + 0.01 * self.rng.standard_normal(len(busy))
        clock = FREQUENCY_KHZ * np.minimum(left, own * (1.05 - 0.05 * works)) * near
        throttled = np.where((left < 1) & (works > 0.05), self.rng.poisson(20, len(busy)), 0)
        return Component(
            "machine",
            host,
            values={
                "cpu_user_ns": 0.9 * busy,
                "cpu_system_ns": 0.1 * busy,
                "cpu_idle_ns": whole - busy,
                "cpu_iowait_ns": 0.02 * (whole - busy),
                "cpu_count": np.full(len(busy), self.cores),
                "cpu_runnable": np.ceil(self.cores * works + queued / self.slice_s / 1e9),
                "cpu_frequency_khz": clock,
                "cpu_frequency_min_khz": 0.98 * clock,
                "cpu_frequency_limit_khz": np.where(left < 1, FREQUENCY_KHZ * left, 0),
                "cpu_throttle_ops": throttled,
                "cpu_throttle_ns": np.where(throttled > 0, (1 - left) * busy, 0),
                "pressure_cpu_ns": np.minimum(queued, self.slice_s * 1e9),
                "pressure_io_ns": 0.01 * (whole - busy) / self.cores,
                "memory_used_bytes": np.full(len(busy), _MEMORY // 4),
                "memory_limit_bytes": np.full(len(busy), _MEMORY),
                "memory_read_bytes": 2 * busy,
                "memory_write_bytes": busy,
                "tasks_count": np.full(len(busy), 300),
            },
        )

    def _disk(self, row: int) -> Component:
        left = self.factor("capped disk", self.hosts[row])
        used = np.minimum(self.traffic.disk[row] / left, 0.95)
        moved = used * left * DISK_CAPACITY * self.slice_s
        each = self.traits["disk"][row] * self._daily["disk"][row] * self._jitter(len(used))
        taken = _DISK_SERVICE_S / left * each * (1 + used)
        return Component(
            "disk",
            "sda",
            values={
                **_requests(moved / 2, moved / 2, _DISK_REQUEST, taken),
                "storage_busy_ns": np.minimum(used * each, 1.0) * self.slice_s * 1e9,
                "storage_queued": np.ceil(moved / _DISK_REQUEST * taken / self.slice_s),
            },
        )

    def _port(self, row: int) -> Component:
        moved = sum(self._moved(number)[row] for number in range(len(self.mounts)))
        moved = np.asarray(moved + 0.2 * self.slice_s * 1e8 * (self.traffic.disk[row] > 0))
        packets = moved / _PACKET
        lost = np.zeros(len(moved))
        for fault in self.faults:
            if fault.kind == "lossy link" and fault.where == self.hosts[row]:
                lost += self.acting(fault) * fault.size
        errors = self.rng.poisson(packets * (lost / 2 + _RARE * self.traits["errors"][row]))
        down = self.rng.poisson(np.minimum(lost * self.slice_s / 2, 0.2) * (packets > 0))
        used = moved / 2 / (LINK_RATE * self.slice_s)
        return Component(
            "port",
            "mlx5_0/1",
            "infiniband",
            values={
                "link_receive_bytes": moved / 2,
                "link_receive_packets": packets / 2,
                "link_send_bytes": moved / 2,
                "link_send_packets": packets / 2,
                "link_wait_ticks": packets * (0.05 + used) * self._jitter(len(moved)),
                "link_error_ops": errors,
                "link_retry_ops": self.rng.poisson(packets * lost),
                "link_drop_ops": self.rng.poisson(packets * lost / 10),
                "link_down_ops": down,
                "link_rate_bytes": np.full(len(moved), LINK_RATE),
            },
        )

    def _client(self, row: int, number: int, mount: FileSystem) -> Component:
        asked = {name: values[row] for name, values in self.traffic.asked(number).items()}
        each = self.traits["mount"][row] * self._daily["mount"][row]
        lost = sum(
            (
                fault.size * self.acting(fault)
                for fault in self.faults
                if fault.kind == "lossy link" and fault.where == self.hosts[row]
            ),
            np.zeros(len(self.seconds)),
        )
        taken = self._service[number] * each * self._jitter(len(self.seconds))
        # A lost packet is sent again after a time-out of some tens of milliseconds.
        taken = taken + 0.04 * np.minimum(1.0, lost * REQUEST / _PACKET)
        kind = "lustre_mount" if mount.is_lustre else "nfs_mount"
        name = f"{mount.name}-ffff8800" if mount.is_lustre else mount.path
        return Component(
            kind,
            name,
            mount.source,
            mount.mount,
            path=mount.path,
            values={
                **_requests(asked["read_bytes"], asked["write_bytes"], REQUEST, taken),
                "storage_meta_ops": asked["meta_ops"],
                "storage_meta_ns": asked["meta_ops"] * taken * 0.3e9,
                "storage_retry_ops": self.rng.poisson(asked["write_bytes"] / _PACKET * lost / 100),
            },
        )

    def _batch_job(self, load: Load, row: int) -> Component:
        asked = load.asked.values()
        return Component(
            "batch_job",
            load.batch.replace("slurm-", "job_"),
            job=load.batch,
            values={
                "cpu_user_ns": 0.9 * load.cpu_ns[row],
                "cpu_system_ns": 0.1 * load.cpu_ns[row],
                "storage_read_bytes": _total(asked, "read_bytes", row),
                "storage_write_bytes": _total(asked, "write_bytes", row),
                "memory_used_bytes": (load.cpu_ns[row] > 0) * float(1 << 30),
            },
        )

    # Servers

    def server(self, number: int) -> Iterator[Component]:
        """Return the components of the server of a file system."""
        mount = self.mounts[number]
        asked = {name: values.sum(axis=0) for name, values in self.traffic.asked(number).items()}
        taken = self._service[number]
        used = (asked["read_bytes"] + asked["write_bytes"]) / (self.capacity * self.slice_s)
        slow = self.factor("slow server", "", number)
        requests = _requests(asked["read_bytes"], asked["write_bytes"], REQUEST, taken)
        meta = {
            "storage_meta_ops": asked["meta_ops"],
            "storage_meta_ns": asked["meta_ops"] * taken * 0.3e9,
        }
        busy = np.minimum(used * slow, 1.0)
        yield self._machine(f"server{number}", used * 4e9 * self.slice_s, 0.0 * used, None)
        yield Component(
            "disk",
            "sdb",
            values={
                **requests,
                "storage_busy_ns": busy * self.slice_s * 1e9,
                "storage_queued": np.ceil(requests["storage_wait_ns"] / self.slice_s / 1e9),
            },
        )
        if not mount.is_lustre:
            plain = {name: requests[name] for name in requests if not name.endswith("_ns")}
            plain = {name: plain[name] for name in plain if "wait" not in name}
            yield Component(
                "nfs_server", "nfsd", values={**plain, "storage_meta_ops": asked["meta_ops"]}
            )
            return
        target = f"{mount.name}-OST0000"
        yield Component("lustre_ost", target, mount.name, values=requests)
        yield Component("lustre_mdt", f"{mount.name}-MDT0000", mount.name, values=meta)
        for load in self.traffic.loads[1:]:
            if load.batch and number in load.asked:
                theirs = {name: values.sum(axis=0) for name, values in load.asked[number].items()}
                yield Component(
                    "lustre_job",
                    target,
                    mount.name,
                    job=load.batch,
                    values=_requests(theirs["read_bytes"], theirs["write_bytes"], REQUEST, taken),
                )


def _total(asked: Iterable[dict[str, Floats]], name: str, row: int) -> Floats:
    total: Floats = np.sum([part[name][row] for part in asked], axis=0)
    return total


def _requests(read: Floats, written: Floats, size: int, taken: Floats) -> dict[str, Floats]:
    """Return the counters of requests that are all of one size, given the seconds of a request."""
    return {
        "storage_read_bytes": read,
        "storage_read_ops": read / size,
        "storage_read_ns": read / size * taken * 1e9,
        "storage_write_bytes": written,
        "storage_write_ops": written / size,
        "storage_write_ns": written / size * taken * 1e9,
        "storage_wait_ns": (read + written) / size * taken * 1e9,
        "storage_wait_ops": (read + written) / size,
        "storage_queue_ns": (read + written) / size * taken * 0.1e9,
    }
