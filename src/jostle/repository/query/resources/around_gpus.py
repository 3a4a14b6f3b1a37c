"""Reads NVLink domains and network adapters near the GPUs of nodes, and the messages there.

Only agents of nodes record where adapters are in the PCI tree, and which GPUs NVLink connects.
Without agents, neither is known, and no further query runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.engine import Engine, total

_CLASSES = ("all_to_all", "one_to_all", "all_to_one", "barrier", "send", "recv")
#: Metrics of collective libraries: operations, bytes (counted by the sender) and times.
CCL_OPS = tuple(f"ccl_{name}_ops" for name in _CLASSES)
CCL_BYTES = tuple(f"ccl_{name}_bytes" for name in _CLASSES if name not in ("barrier", "recv"))
CCL_NS = tuple(f"ccl_{name}_ns" for name in _CLASSES)
#: A table of messages without rows.
NO_MESSAGES = pa.table(
    {
        **{name: pa.array([], pa.string()) for name in ("job", "host")},
        **{
            name: pa.array([], pa.int64())
            for name in (
                "slice",
                "slice_ns",
                "start_ns",
                "length_ns",
                "count",
                "bytes",
                "ops",
                "ccl_bytes",
                "ccl_ops",
            )
        },
    }
)
_BUSY = 0.1  # of the bytes of all adapters of a node: adapters with less are ignored


class Device(NamedTuple):
    """A GPU or adapter in a node's tree of PCI devices.

    Attributes:
        host: Name of the node.
        name: PCI bus id of a GPU, name of an adapter (`mlx5_0/1`, `eth0`).
        path: Folder of the device below /sys/devices; "" unknown.
        numa: NUMA node; -1 unknown.
    """

    host: str
    name: str
    path: str
    numa: int


@dataclass(frozen=True)
class Hardware:
    """Devices of a job's nodes, from agents.

    Attributes:
        domains: NVLink domain of each (host, GPU) that is in one.
        adapters: Network adapters that carried at least a tenth of the bytes of their node.
    """

    domains: Mapping[tuple[str, str], str] = field(default_factory=dict)
    adapters: tuple[Device, ...] = ()


def hardware(engine: Engine, hosts: Collection[str], window: Sequence[int]) -> Hardware:
    """Return the devices of some hosts, from agents.

    Args:
        engine: The query engine.
        hosts: Names of the hosts.
        window: Span of time, ns since the epoch, for the adapters' traffic.
    """
    rows = _rows(engine, hosts, window)
    domains = {
        (row["host"], row["name"]): row["source"]
        for row in rows
        if row["kind"] == "gpu" and row["source"]
    }
    adapters = _adapters(rows)
    whole = {host: sum(size for device, size in adapters if device.host == host) for host in hosts}
    return Hardware(
        domains,
        tuple(device for device, size in adapters if 0 < size >= _BUSY * whole[device.host]),
    )


def adapter_loads(engine: Engine, hosts: Collection[str], window: Sequence[int]) -> pa.Table:
    """Return the network adapters of some hosts, and their traffic for all jobs.

    Args:
        engine: The query engine.
        hosts: Names of the hosts.
        window: Span of time, ns since the epoch.

    Returns:
        Columns host, name, numa (-1: unknown), bytes (0: idle), by host and name; without a row
        if no agent counted.
    """
    loads = sorted(_adapters(_rows(engine, hosts, window)))
    return pa.table(
        {
            "host": pa.array([device.host for device, _ in loads], pa.string()),
            "name": pa.array([device.name for device, _ in loads], pa.string()),
            "numa": pa.array([device.numa for device, _ in loads], pa.int64()),
            "bytes": pa.array([size for _, size in loads], pa.int64()),
        }
    )


def _rows(engine: Engine, hosts: Collection[str], window: Sequence[int]) -> list[dict[str, Any]]:
    """Return GPUs and adapters of some hosts, from agents, with the bytes of adapters."""
    if not hosts or not engine.newest("component_slices", *window):
        return []
    moved = "coalesce(link_send_bytes, 0)::HUGEINT + coalesce(link_receive_bytes, 0)"

    def question() -> str:
        named = (
            "SELECT host, kind, name, max(source) AS source, max(path) AS path, "
            f"max(coalesce(numa, -1)) AS numa FROM {engine.stored('components')} "
            "WHERE list_contains($1, host) AND kind IN ('gpu', 'interface', 'port') "
            "GROUP BY host, kind, name"
        )
        carried = (
            f"SELECT host, kind, name, {total(moved)} AS bytes "
            f"FROM {engine.stored('component_slices', *window)} "
            "WHERE list_contains($1, host) AND kind IN ('interface', 'port') "
            "AND (slice + span) * slice_ns > $2 AND slice * slice_ns < $3 GROUP BY host, kind, name"
        )
        return (
            f"SELECT host, kind, name, source, path, numa, coalesce(bytes, 0) AS bytes "
            f"FROM ({named}) LEFT JOIN ({carried}) USING (host, kind, name) ORDER BY ALL"
        )

    rows: list[dict[str, Any]] = engine.ask(question, [sorted(hosts), *window]).to_pylist()
    return rows


def _adapters(rows: Sequence[Mapping[str, Any]]) -> list[tuple[Device, int]]:
    """Return the adapters among components, each with its bytes."""
    # An adapter may be a port and an interface: one device, with the name of its port.
    adapters: dict[tuple[str, str], tuple[Device, int]] = {}
    for row in sorted(rows, key=lambda row: str(row["kind"])):
        if row["kind"] != "gpu" and row["path"]:
            device = Device(row["host"], row["name"], row["path"], row["numa"])
            before = adapters.get((device.host, device.path), (device, 0))
            adapters[device.host, device.path] = (device, max(before[1], row["bytes"]))
    return list(adapters.values())


def messages_on(
    engine: Engine, job: str, hosts: Collection[str], window: Sequence[int], sums: Mapping[str, str]
) -> pa.Table:
    """Return the messages of other jobs on some hosts, by MPI and by collective libraries.

    Args:
        engine: The query engine.
        job: The job whose messages are left out.
        hosts: Names of the hosts.
        window: Span of the slices, in ns.
        sums: SQL that adds up MPI's `bytes` and `ops` from columns of node_rollup.

    Returns:
        Columns job, host, slice, slice_ns, count, bytes and ops (both kinds of messages),
        ccl_bytes, ccl_ops.
    """
    ccl = {
        name: " + ".join(f"coalesce({metric}_sum, 0)::HUGEINT" for metric in metrics)
        for name, metrics in (("ccl_bytes", CCL_BYTES), ("ccl_ops", CCL_OPS))
    }
    every = {
        "bytes": f"{sums['bytes']} + {ccl['ccl_bytes']}",
        "ops": f"{sums['ops']} + {ccl['ccl_ops']}",
        **ccl,
    }
    columns = ", ".join(f"{total(value)} AS {name}" for name, value in every.items())
    return engine.ask(
        lambda: (
            f"SELECT job, host, slice, slice_ns, {total('count')} AS count, {columns} "
            f"FROM {engine.stored('node_rollup', *window)} "
            "WHERE job <> $1 AND list_contains($4, host) AND (slice + 1) * slice_ns > $2 "
            f"AND slice * slice_ns < $3 AND {every['ops']} > 0 "
            "GROUP BY job, host, slice, slice_ns ORDER BY host, job, slice * slice_ns"
        ),
        [job, *window, sorted(hosts)],
    )


def leaving(messages: pa.Table, wide: Collection[str]) -> pa.Table:
    """Set bytes and ops of messages to 0 for jobs on one node, whose messages do not leave it.

    Args:
        messages: Messages, as from `messages_on`.
        wide: Names of the jobs on several nodes.
    """
    out = pc.is_in(messages.column("job"), value_set=pa.array(sorted(wide), pa.string()))
    for name in ("bytes", "ops"):
        at = messages.column_names.index(name)
        messages = messages.set_column(at, name, pc.if_else(out, messages.column(name), 0))
    return messages
