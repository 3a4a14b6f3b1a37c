"""Reads agents' counters on the mounts of a job: those of clients, and those of servers.

Loads of profiled jobs are known from their profiles. Load of programs without a profile is visible
only in these counters. Without agents all tables are empty, and no query runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.resources.watched import watched_processes
from jostle.values.storage_servers import (
    ALSO_METADATA,
    METADATA_COMPONENTS,
    OBJECT_COMPONENTS,
    has_metadata_server,
)

_TRAFFIC = ("read_bytes", "write_bytes", "meta_ops")
SERVED = (
    "storage_read_bytes",
    "storage_write_bytes",
    "storage_read_ops",
    "storage_write_ops",
    "storage_read_ns",
    "storage_write_ns",
    "storage_meta_ops",
    "storage_meta_ns",
    "storage_busy_ns",
    "storage_wait_ns",
    "storage_wait_ops",
    "storage_retry_ops",
    "storage_error_ops",
    "link_receive_bytes",
    "link_send_bytes",
    "link_drop_ops",
    "link_error_ops",
    "pressure_io_ns",
)
_CLIENT_KINDS = ("nfs_mount", "lustre_mount", "gpfs_mount", "ceph_mount")
#: Components of a server that count what it served; the first kind that exists counts.
SERVING_KINDS = ("lustre_ost", "gpfs_disk", "ceph_osd", "nfs_server", "interface", "disk")
#: Components of a metadata server that count the requests of each client node: their name is that
#: of the node.
CLIENTS_OF_SERVERS = ("ceph_client", "beegfs_client")
_SERVER_KINDS = (
    *SERVING_KINDS,
    *METADATA_COMPONENTS,
    *CLIENTS_OF_SERVERS,
    "ceph_request",
    "lustre_job",
)
_CEPH = ("ceph", "ceph-fuse")
_EVER = (1 << 63) - 1
#: The cluster in the source of a mount of CephFS: user@FSID.name=/path.
_CLUSTER = re.compile(r"@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.")
_SPAN = "slice + span > $1 // slice_ns AND slice * slice_ns < $2"
_SLICE = "slice, slice_ns, span"


def _empty(*texts: str, values: Sequence[str]) -> pa.Table:
    kinds: dict[str, pa.DataType] = dict.fromkeys(texts, pa.string())
    kinds |= dict.fromkeys(("slice", "slice_ns", "span", *values), pa.int64())
    return pa.table({name: pa.array([], kind) for name, kind in kinds.items()})


_NO_GROUPS = pa.table(
    {name: pa.array([], pa.string()) for name in ("host", "job")}
    | {name: pa.array([], pa.int64()) for name in ("start_ns", "end_ns")}
)


_NO_TARGETS = pa.table(
    {name: pa.array([], pa.string()) for name in ("host", "target")}
    | {"bytes": pa.array([], pa.int64())}
)


@dataclass(frozen=True)
class MachineLoads:
    """Counters of agents on the mounts of a job while it ran.

    Attributes:
        clients: Traffic per mount, client host and slice, as the kernel of the client counted it:
            mount, host, slice, slice_ns, span, read_bytes, write_bytes, meta_ops.
        profiled: The same columns, but as the profiles of all jobs counted it, on these mounts and
            on other mounts of the same servers.
        servers: Per mount, slice and component of a server: mount, host (of the server), kind,
            name, job (the batch job whose requests it counts; "": all), unknown (metrics that are
            not known, between spaces), slice, slice_ns, span, then SERVED. A component of kind
            machine is the server as a whole; one of the kinds CLIENTS_OF_SERVERS counts the
            requests of one client node; one of kind ceph_request counts one kind of requests.
        groups: Batch jobs without a profile that ran on nodes: host, job, start_ns, end_ns.
        targets: Traffic of nodes on each storage target: host, target, bytes.
        places: For each mount, all mounts that its server serves, the mount itself included.
        disk_users: For each mount of the job on a node's own disk, the traffic of processes without
            a profile to and from the disks of this node: mount, host, name (such as "dd (pid 4711,
            root)"), slice, slice_ns, span, read_bytes, write_bytes. The kernel does not report
            which of the node's disks they used.
    """

    clients: pa.Table = field(default_factory=lambda: _empty("mount", "host", values=_TRAFFIC))
    profiled: pa.Table = field(default_factory=lambda: _empty("mount", "host", values=_TRAFFIC))
    servers: pa.Table = field(
        default_factory=lambda: _empty(
            "mount", "host", "kind", "name", "job", "unknown", values=SERVED
        )
    )
    groups: pa.Table = field(default_factory=lambda: _NO_GROUPS)
    targets: pa.Table = field(default_factory=lambda: _NO_TARGETS)
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    disk_users: pa.Table = field(
        default_factory=lambda: _empty(
            "mount", "host", "name", values=("read_bytes", "write_bytes")
        )
    )


def machine_loads(engine: Engine, mounts: Sequence[str], window: Sequence[int]) -> MachineLoads:
    """Return the counters of agents on mounts in a span of time.

    Args:
        engine: The repository.
        mounts: Identities of the mounts.
        window: Start and end, ns since the epoch.
    """
    if not mounts or not engine.newest("component_slices", *window):
        return MachineLoads()
    sources = _sources(engine)
    servers = _servers(engine, sources, mounts, window, _SERVER_KINDS)
    places = _places(servers, sources, mounts)
    all_mounts = sorted({other for some in places.values() for other in some} | set(mounts))
    rows = engine.source("component_slices", *window)
    columns = ", ".join(f"{total(f'storage_{name}')} AS {name}" for name in _TRAFFIC)
    clients = engine.ask(
        lambda: (
            f"SELECT mount, host, {_SLICE}, {columns} FROM ({rows}) "
            f"WHERE list_contains($3, kind) AND list_contains($4, mount) AND {_SPAN} "
            f"GROUP BY mount, host, {_SLICE} ORDER BY ALL"
        ),
        [*window, list(_CLIENT_KINDS), list(mounts)],
    )
    return MachineLoads(
        clients,
        _profiled(engine, all_mounts, window),
        servers,
        _groups(engine, window),
        _targets(engine, window),
        places,
        _disk_users(engine, mounts, window),
    )


def served(engine: Engine, mounts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the traffic of servers of mounts in a span of time, for all jobs together.

    Args:
        engine: The repository.
        mounts: Identities of the mounts.
        window: Start and end, ns since the epoch.

    Returns:
        Rows as in MachineLoads.servers.
    """
    if not mounts or not engine.newest("component_slices", *window):
        return MachineLoads().servers
    return _servers(engine, _sources(engine), mounts, window, SERVING_KINDS)


def _profiled(engine: Engine, mounts: Sequence[str], window: Sequence[int]) -> pa.Table:
    def both(name: str) -> str:
        return " + ".join(f"coalesce({kind}_{name}, 0)::HUGEINT" for kind in ("posix", "stdio"))

    meta = " + ".join(both(f"{name}_ops") for name in ("open", "close", "meta"))
    columns = (
        f"{total(both('read_bytes'))} AS read_bytes, {total(both('write_bytes'))} AS write_bytes, "
        f"{total(meta)} AS meta_ops"
    )
    rows = engine.stored("mount_slices", *window)
    return engine.ask(
        lambda: (
            f"SELECT mount, host, {_SLICE}, {columns} FROM {rows} "
            f"WHERE list_contains($3, mount) AND {_SPAN} "
            f"GROUP BY mount, host, {_SLICE} ORDER BY ALL"
        ),
        [*window, list(mounts)],
    )


def _sources(engine: Engine) -> dict[str, tuple[str, str]]:
    """Return type and source of each network mount that jobs used."""
    rows = engine.query(
        "SELECT DISTINCT mount, type, source FROM mounts WHERE shared AND source <> ''"
    ).to_pylist()
    return {row["mount"]: (row["type"], row["source"]) for row in rows}


def _known_servers(engine: Engine, window: Sequence[int] = (0, _EVER)) -> list[dict[str, Any]]:
    """Return host, kind and source of the server components that agents watched in a window.

    A further key `alone` is for Ceph: whether only one cluster was watched in the window.
    """
    rows: list[dict[str, Any]] = engine.query(
        "SELECT DISTINCT c.host, c.kind, c.source FROM components c "
        "JOIN machines m USING (machine) WHERE m.role = 'server' AND list_contains($1, c.kind) "
        "AND m.first_slice <= $3 // m.slice_ns AND m.last_slice >= $2 // m.slice_ns",
        [list(_SERVER_KINDS), *window],
    ).to_pylist()
    clusters = {row["source"] for row in rows if row["kind"].startswith("ceph")}
    return [row | {"alone": len(clusters) == 1} for row in rows]


def servers_of(
    engine: Engine, mounts: Sequence[str], *, of_data: bool = False
) -> dict[str, tuple[str, ...]]:
    """Return the hosts of the servers behind mounts, if they have an agent.

    Args:
        engine: The repository.
        mounts: Identities of the mounts.
        of_data: Whether to leave out servers that serve only metadata; they are not left out if the
            servers of the data are unknown.
    """
    sources, known = _sources(engine), _known_servers(engine)
    hosts: dict[str, tuple[str, ...]] = {}
    for mount in mounts:
        rows = [
            row
            for row in known
            if mount in sources
            and row["kind"] not in CLIENTS_OF_SERVERS
            and _serves(row, *sources[mount])
        ]
        data = [row for row in rows if row["kind"] in OBJECT_COMPONENTS] if of_data else []
        hosts[mount] = tuple(sorted({row["host"] for row in data or rows}))
    return {mount: servers for mount, servers in hosts.items() if servers}


@dataclass(frozen=True)
class StorageServers:
    """The servers of a mount with separate servers for data and metadata, if they have agents.

    Attributes:
        objects: Hosts that serve the mount's data.
        metadata: Hosts that serve the mount's metadata.
        clusters: Ceph clusters to which the mount may belong, if its source does not name one.
    """

    objects: tuple[str, ...]
    metadata: tuple[str, ...]
    clusters: int = 0


def storage_servers(engine: Engine) -> dict[str, StorageServers]:
    """Return the servers of all mounts that have separate servers for data and metadata."""
    known = _known_servers(engine)
    clusters = len({row["source"] for row in known if row["kind"].startswith("ceph")})
    found = {}
    for mount, (fs_type, source) in sorted(_sources(engine).items()):
        if not has_metadata_server(mount):
            continue
        rows = [row for row in known if _serves(row, fs_type, source)]

        def hosts(kinds: Sequence[str], rows: list[dict[str, Any]] = rows) -> tuple[str, ...]:
            return tuple(sorted({row["host"] for row in rows if row["kind"] in kinds}))

        is_ceph = fs_type.removeprefix("fuse.") in _CEPH and not _CLUSTER.search(source)
        found[mount] = StorageServers(
            hosts(OBJECT_COMPONENTS),
            hosts((*METADATA_COMPONENTS, *ALSO_METADATA)),
            clusters if is_ceph and clusters > 1 else 0,
        )
    return found


def _servers(
    engine: Engine,
    sources: dict[str, tuple[str, str]],
    mounts: Sequence[str],
    window: Sequence[int],
    kinds: Sequence[str],
) -> pa.Table:
    """Return the slices of servers behind mounts: of components of some kinds, and as a whole."""
    known = [row for row in _known_servers(engine, window) if row["kind"] in kinds]
    pairs = [
        (mount, row)
        for mount in mounts
        for row in known
        if mount in sources and _serves(row, *sources[mount])
    ]
    if not pairs:
        return MachineLoads().servers
    # If a host names the component behind the mount, its other disks and links do not count.
    said = {(mount, row["host"]) for mount, row in pairs if row["source"]}
    pairs = [
        (mount, row)
        for mount, row in pairs
        if row["source"] or row["kind"] == "nfs_server" or (mount, row["host"]) not in said
    ]
    whole = [
        (mount, {"host": row["host"], "kind": "machine"})
        for mount, row in pairs
        if row["kind"] not in CLIENTS_OF_SERVERS
    ]
    pairs += [pair for at, pair in enumerate(whole) if pair not in whole[:at]]
    rows = engine.source("component_slices", *window)
    columns = ", ".join(f"coalesce({name}, 0) AS {name}" for name in SERVED)
    wanted = ", ".join(
        "("
        + ", ".join(_text(value) for value in (mount, row["host"], row["kind"], row.get("source")))
        + ")"
        for mount, row in pairs
    )
    return engine.ask(
        lambda: (
            f"SELECT w.on_mount AS mount, c.host, c.kind, c.name, c.job, c.unknown, "
            f"{_SLICE}, {columns} "
            f"FROM ({rows}) c JOIN (VALUES {wanted}) w(on_mount, host, kind, source) "
            "ON c.host = w.host AND c.kind = w.kind AND c.source = coalesce(w.source, c.source) "
            f"WHERE {_SPAN} "
            "ORDER BY ALL"
        ),
        list(window),
    )


def _text(value: str | None) -> str:
    """Return a text as an SQL literal."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def _serves(component: dict[str, Any], fs_type: str, source: str) -> bool:
    """Return whether a server's component is behind mounts of a type and source."""
    host, _, path = source.rpartition(":")
    if component["kind"].startswith("lustre"):
        return fs_type == "lustre" and component["source"] == path.strip("/").partition("/")[0]
    if component["kind"].startswith("gpfs"):
        return fs_type == "gpfs" and component["source"] == source.rpartition("/")[2]
    if component["kind"].startswith("ceph"):
        # The kernel's newer form of a mount's source has the cluster; that of a mount by FUSE does
        # not: then the only cluster is assumed.
        named = _CLUSTER.search(source)
        known = component["source"] == named[1] if named else component["alone"]
        return fs_type.removeprefix("fuse.") in _CEPH and bool(known)
    if component["source"]:
        return bool(component["source"] == source)
    server = host.rpartition("@")[2].strip("[]")
    return bool(server) and component["host"] in (server, server.partition(".")[0])


def _root(source: str) -> str:
    """Return the common part of the sources of all mounts of one server."""
    named = _CLUSTER.search(source)
    return named[1] if named else source.rpartition(":")[0] or source


def _places(
    servers: pa.Table, sources: dict[str, tuple[str, str]], mounts: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return, for each mount with a known server, all mounts that this server serves."""
    rows = servers.group_by(["mount", "host", "kind"]).aggregate([]).to_pylist()
    found: dict[str, tuple[str, ...]] = {}
    for mount in mounts:
        mine = [row for row in rows if row["mount"] == mount]
        if not mine:
            continue
        # All mounts of one file system, or from one host, belong to one server.
        fs_type, source = sources[mount]
        root = _root(source)
        found[mount] = tuple(
            sorted(
                other
                for other, (other_type, other_source) in sources.items()
                if other_type == fs_type and _root(other_source) == root
            )
        )
    return found


def _disk_users(engine: Engine, mounts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the traffic of processes without a profile to and from the disks of mounts."""
    # The identity of a local mount is HOST:/dev/sda1.
    on_disk = {mount: mount.partition(":")[0] for mount in mounts if ":/dev/" in mount}
    empty = MachineLoads().disk_users
    if not on_disk:
        return empty
    rows = [
        row | {"name": row["title"]}
        for row in watched_processes(engine, sorted(set(on_disk.values())), window).to_pylist()
        if row["pid"] and not row["job"] and row["read_bytes"] + row["write_bytes"]
    ]
    return pa.Table.from_pylist(
        [
            {"mount": mount} | row
            for mount, host in on_disk.items()
            for row in rows
            if row["host"] == host
        ],
        empty.schema,
    )


def _groups(engine: Engine, window: Sequence[int]) -> pa.Table:
    """Return the batch jobs of nodes that no profile belongs to, and when they ran.

    They are known from their control groups, or from notes of prolog and epilog.
    """
    rows = engine.source("component_slices", *window)
    facts = engine.source("batch_jobs")
    end = "CASE WHEN complete AND end_ns > 0 THEN end_ns ELSE $2 END"
    return engine.ask(
        lambda: (
            "SELECT host, job, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM ("
            "SELECT host, job, min(slice * slice_ns) AS start_ns, "
            f"max((slice + span) * slice_ns) AS end_ns FROM ({rows}) "
            f"WHERE kind = 'batch_job' AND {_SPAN} GROUP BY host, job UNION ALL "
            f"SELECT unnest(nodes) AS host, job, start_ns, {end} AS end_ns FROM ({facts}) "
            f"WHERE start_ns < $2 AND {end} > $1) WHERE job NOT IN ("
            f"SELECT DISTINCT batch FROM {engine.stored('processes')} WHERE batch IS NOT NULL "
            "AND start_ns < $2 AND (end_ns = 0 OR end_ns > $1)) GROUP BY host, job ORDER BY ALL"
        ),
        list(window),
    )


def _targets(engine: Engine, window: Sequence[int]) -> pa.Table:
    """Return the traffic of nodes on each storage target, in the whole span."""
    rows = engine.source("component_slices", *window)
    moved = "coalesce(storage_read_bytes, 0)::HUGEINT + coalesce(storage_write_bytes, 0)"
    return engine.ask(
        lambda: (
            f"SELECT host, regexp_extract(name, '^.+-OST[0-9a-f]{{4}}') AS target, "
            f"{total(moved)} AS bytes FROM ({rows}) WHERE kind = 'lustre_osc' AND {_SPAN} "
            "GROUP BY host, target HAVING target <> '' ORDER BY ALL"
        ),
        list(window),
    )
