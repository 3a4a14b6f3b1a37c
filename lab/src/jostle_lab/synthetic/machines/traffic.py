"""Computes the load of nodes and servers from synthetic jobs, or draws it.

All arrays have a row per node and a column per slice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository import Repository
from jostle.values.arrow_columns import ints, ints_or_zeros
from jostle_lab.synthetic.injected.model import Fault, Injected

Floats = NDArray[np.float64]
#: Metrics of a client's requests to a file system: bytes and calls.
ASKED = ("read_bytes", "read_ops", "write_bytes", "write_ops", "meta_ops")
REQUEST = 1 << 20  # bytes of a request to a server
_BLOCK = 20  # slices for which random load stays the same
_FILE_CALLS = ("meta", "open", "close")


@dataclass
class Load:
    """The load of all profiled jobs together, or of one job or client without a profile.

    Attributes:
        asked: Values of each metric of ASKED, (nodes, slices), by the number of the file system.
        cpu_ns: CPU time (nodes, slices).
        queued_ns: Time in which threads waited for a core (nodes, slices).
        batch: Name of the load's batch job; "" if the agents do not know the job.
    """

    asked: dict[int, dict[str, Floats]]
    cpu_ns: Floats
    queued_ns: Floats
    batch: str = ""


@dataclass
class Traffic:
    """The load on all nodes in a span of time.

    Attributes:
        loads: Load of the profiled jobs, then of each unprofiled load.
        disk: Share of the time in which local disks have requests (nodes, slices).
    """

    loads: list[Load]
    disk: Floats
    _sums: dict[int, dict[str, Floats]] = field(default_factory=dict)

    def asked(self, mount: int) -> dict[str, Floats]:
        """Return the requests of all loads together to a file system."""
        if mount not in self._sums:
            parts = [load.asked[mount] for load in self.loads if mount in load.asked]
            shape = self.disk.shape
            self._sums[mount] = {
                name: np.sum([part[name] for part in parts], axis=0) if parts else np.zeros(shape)
                for name in ASKED
            }
        return self._sums[mount]


def nothing(nodes: int, slices: int, batch: str = "") -> Load:
    """Return an empty load."""
    return Load({}, np.zeros((nodes, slices)), np.zeros((nodes, slices)), batch)


def of_jobs(
    injected: Injected, hosts: list[str], mounts: list[str], first: int, count: int
) -> Load:
    """Return the load of the profiled jobs of a synthetic repository in some slices."""
    between = f"slice >= {first} AND slice < {first + count}"
    with_calls = ", ".join(f"posix_{call}_ops" for call in _FILE_CALLS)
    wanted = f"posix_read_bytes, posix_read_ops, posix_write_bytes, posix_write_ops, {with_calls}"
    repository = Repository(injected.path)
    rows = repository.query(
        f"SELECT host, mount, slice, {wanted} FROM mount_slices WHERE {between}"
    )
    work = repository.query(
        f"SELECT host, slice, os_user_ns, os_system_ns, os_runqueue_ns FROM slices WHERE {between}"
    )
    repository.close()
    return _gathered(nothing(len(hosts), count), rows, work, hosts, mounts, first)


def unprofiled(
    injected: Injected, fault: Fault, hosts: list[str], mounts: list[str], first: int, count: int
) -> Load:
    """Return the load of a synthetic job without a profile in some slices."""
    tables = [
        _of(injected.unprofiled.get(name), fault.where, first, count)
        for name in ("mount_slices", "slices")
    ]
    return _gathered(
        nothing(len(hosts), count, fault.batch), tables[0], tables[1], hosts, mounts, first
    )


def client(fault: Fault, hosts: list[str], seconds: Floats, slice_s: float) -> Load:
    """Return an unprofiled load of one client.

    Args:
        fault: The unprofiled load.
        hosts: All nodes.
        seconds: Begin of each slice, s since the start of the synthetic time.
        slice_s: Length of a slice, in seconds.
    """
    load = nothing(len(hosts), len(seconds), fault.batch)
    acts = (seconds < fault.end_s) & (seconds + slice_s > fault.start_s)
    asked = {name: np.zeros(load.cpu_ns.shape) for name in ASKED}
    row = hosts.index(fault.where)
    asked["write_bytes"][row] = acts * fault.size * slice_s
    asked["write_ops"][row] = asked["write_bytes"][row] / REQUEST
    load.asked[fault.mount] = asked
    load.cpu_ns[row] = acts * 0.3e9 * slice_s
    return load


def drawn(
    nodes: int, slices: int, mounts: int, slice_s: float, rng: np.random.Generator, capacity: float
) -> Traffic:
    """Draw the load of nodes: busy and idle spans, independently for each node.

    Args:
        nodes: Number of nodes.
        slices: Number of slices.
        mounts: Number of file systems.
        slice_s: Length of a slice.
        rng: Source of random numbers.
        capacity: Capacity of a file system, bytes/s; half of it is requested on average.
    """

    def stretches() -> Floats:
        blocks = -(-slices // _BLOCK)
        works = rng.random((nodes, blocks)) < 0.5
        level = works * rng.uniform(0.3, 1.7, (nodes, blocks))
        drawn: Floats = np.repeat(level, _BLOCK, axis=1)[:, :slices]
        return drawn * rng.uniform(0.8, 1.2, drawn.shape)

    load = nothing(nodes, slices)
    for mount in range(mounts):
        moved = stretches() * capacity * slice_s / nodes
        share = 0.5
        load.asked[mount] = {
            "read_bytes": moved * share,
            "read_ops": moved * share / REQUEST,
            "write_bytes": moved * (1 - share),
            "write_ops": moved * (1 - share) / REQUEST,
            "meta_ops": moved / REQUEST / 10,
        }
    load.cpu_ns = np.minimum(stretches(), 1.5) * 10 * slice_s * 1e9
    return Traffic([load], np.minimum(stretches() * 0.35, 0.9))


def _of(rows: pa.Table | None, job: str, first: int, count: int) -> pa.Table:
    if rows is None:
        return pa.table({"slice": pa.array([], pa.int64())})
    at = ints(rows, "slice")
    names = np.array(rows["job"].to_pylist(), dtype=object)
    return rows.filter(pa.array((names == job) & (at >= first) & (at < first + count)))


def _gathered(
    load: Load, rows: pa.Table, work: pa.Table, hosts: list[str], mounts: list[str], first: int
) -> Load:
    """Add rows of table mount_slices and of table slices to a load."""
    node = {host: number for number, host in enumerate(hosts)}
    if rows.num_rows:
        place = np.array([node[host] for host in rows["host"].to_pylist()])
        mount = np.array([mounts.index(name) for name in rows["mount"].to_pylist()])
        at = ints(rows, "slice") - first
        for number in np.unique(mount).tolist():
            here = mount == number
            asked = {name: np.zeros(load.cpu_ns.shape) for name in ASKED}
            for name in ASKED:
                parts = [f"posix_{call}_ops" for call in _FILE_CALLS]
                columns = parts if name == "meta_ops" else [f"posix_{name}"]
                for column in columns:
                    values = ints_or_zeros(rows, column)[here]
                    np.add.at(asked[name], (place[here], at[here]), values)
            load.asked[number] = asked
    if work.num_rows:
        place = np.array([node[host] for host in work["host"].to_pylist()])
        at = ints(work, "slice") - first
        for column in ("os_user_ns", "os_system_ns"):
            np.add.at(load.cpu_ns, (place, at), ints_or_zeros(work, column))
        np.add.at(load.queued_ns, (place, at), ints_or_zeros(work, "os_runqueue_ns"))
    return load
