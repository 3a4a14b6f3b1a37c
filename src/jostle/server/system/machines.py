"""The activity of servers and nodes over time, as their agents recorded it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jostle.report.format.values import natural
from jostle.repository import Repository
from jostle.repository.query.resources.machine_loads import SERVING_KINDS
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.system.node_grid import Floats, GridAxis
from jostle.server.system.queries import Life, owners
from jostle.values.storage_servers import (
    METADATA_COMPONENTS,
    OBJECT_COMPONENTS,
    FileKind,
    has_metadata_server,
)

_DIGITS = 4
_MOST_NODES = 512
#: Loads of others that decide which columns a user may see.
_LINES = (("posix_write_bytes",), ("posix_read_bytes",))
# A slice that is longer than a column is divided among those that it overlaps.
_CELLS = """
SELECT host, kind, place, {sums} FROM (
    SELECT host, kind, {parts},
           unnest(range(first::BIGINT, (first + columns)::BIGINT)) AS place
    FROM (SELECT *, (slice * slice_ns - $1) // $3 AS first,
                 greatest((span * slice_ns + $3 - 1) // $3, 1) AS columns
          FROM component_slices
          WHERE (slice + span) * slice_ns > $1 AND slice * slice_ns < $2 AND job = ''
            AND list_contains($4, kind)
            AND host IN (SELECT host FROM machines WHERE role = $5)))
WHERE place >= 0 AND place < $6 GROUP BY host, kind, place
"""
_SERVED = {
    "bytes": "storage_read_bytes + storage_write_bytes + link_receive_bytes + link_send_bytes",
    "wait_ns": "CASE WHEN storage_wait_ops > 0 THEN storage_wait_ns "
    "ELSE storage_read_ns + storage_write_ns END",
    "wait_ops": "CASE WHEN storage_wait_ops > 0 THEN storage_wait_ops "
    "WHEN storage_read_ns + storage_write_ns > 0 "
    "THEN storage_read_ops + storage_write_ops ELSE 0 END",
    "busy_ns": "storage_busy_ns",
    "count": "CASE WHEN storage_busy_ns > 0 THEN span * slice_ns ELSE 0 END",
    "meta_ns": "storage_meta_ns",
    "meta_ops": "storage_meta_ops",
}
_NODE = {
    "busy": "cpu_user_ns + cpu_system_ns",
    "whole": "cpu_user_ns + cpu_system_ns + cpu_idle_ns",
    "cpu": "pressure_cpu_ns",
    "io": "pressure_io_ns",
    "memory": "pressure_memory_ns",
    "time": "span * slice_ns",
}

#: Host and kind -> name of a sum -> (columns,).
Cells = dict[tuple[str, str], dict[str, Floats]]


def machine_lanes(
    repository: Repository,
    others: Others,
    lives: list[Life],
    viewer: Viewer,
    span: tuple[int, int],
    columns: int,
) -> dict[str, Any]:
    """Return the activity of servers and nodes over a span.

    A viewer who may not see all jobs gets no nodes and no bytes: the bytes of a server minus the
    published sums of profiled jobs are the load without a profile, which may be that of one user.
    For each file system that visible jobs used, such a viewer gets the state of all its servers
    together, at times at which the load of others may be published (docs/adr/0030).

    Args:
        repository: The repository.
        others: Source of the sums for viewers who may not see all jobs.
        lives: Run times of all jobs on their nodes.
        viewer: The viewer.
        span: Start and end, ns since the epoch.
        columns: Largest number of columns.

    Returns:
        Content of schema MachineLanes.
    """
    visible = [life for life in lives if viewer.sees(life.uid)]
    axis = GridAxis.of(span, visible, columns)
    kinds = (*SERVING_KINDS, *METADATA_COMPONENTS)
    served = _cells(repository, axis, kinds, "server", _SERVED)
    where = _mounts(repository, {life.job for life in visible})
    if viewer.sees_all:
        lanes = [
            _server(host, mount, served, (host,), axis) for host, mount in _placed(served, where)
        ]
        nodes = _cells(repository, axis, ("machine",), "node", _NODE)
        hosts = sorted((host for host, _ in nodes), key=natural)[:_MOST_NODES]
        shown = [_node(host, nodes[host, "machine"]) for host in hosts]
        return _answer(axis, lanes, shown)
    lanes = []
    open_to = {mount: _open(others, lives, viewer, mount, axis) for mount in where}
    for mount, servers in where.items():
        lane = _server(", ".join(servers), mount, served, servers, axis)
        lane["bytes"] = lane["metadata"] = None
        for name in ("request_ms", "metadata_ms", "busy"):
            both = zip(lane[name], open_to[mount], strict=True)
            lane[name] = [value if seen else None for value, seen in both]
        lanes.append(lane)
    return _answer(axis, lanes, []) | {"few": not all(seen.all() for seen in open_to.values())}


def _answer(axis: GridAxis, servers: list[Any], nodes: list[Any]) -> dict[str, Any]:
    return {
        "start_ns": axis.start_ns,
        "step_ns": axis.step_ns,
        "columns": axis.columns,
        "servers": servers,
        "nodes": nodes,
        "few": False,
    }


def _cells(
    repository: Repository,
    axis: GridAxis,
    kinds: tuple[str, ...],
    role: str,
    sums: Mapping[str, str],
) -> Cells:
    rows = repository.query(
        _CELLS.format(
            sums=", ".join(f"sum({name})::DOUBLE AS {name}" for name in sums),
            parts=", ".join(f"({sql}) / columns AS {name}" for name, sql in sums.items()),
        ),
        [axis.start_ns, axis.end_ns, axis.step_ns, list(kinds), role, axis.columns],
    )
    cells: Cells = {}
    place = rows["place"].to_numpy()
    values = {name: rows[name].to_numpy() for name in sums}
    keys = list(zip(rows["host"].to_pylist(), rows["kind"].to_pylist(), strict=True))
    for at, key in enumerate(keys):
        if key not in cells:
            cells[key] = {name: np.zeros(axis.columns) for name in sums}
        for name in sums:
            cells[key][name][place[at]] += values[name][at]
    return cells


def _mounts(repository: Repository, jobs: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the servers of each mount that some jobs used."""
    rows = repository.query(
        "SELECT DISTINCT mount FROM mounts WHERE shared AND list_contains($1, job)", [sorted(jobs)]
    )
    return repository.servers_of(sorted(rows["mount"].to_pylist()))


def _placed(served: Cells, where: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return each server with one of the mounts that it serves; "" if it serves none."""
    hosts = sorted({host for host, _ in served}, key=natural)
    return [
        (host, next((mount for mount, hosts in where.items() if host in hosts), ""))
        for host in hosts
    ]


def _server(
    name: str, mount: str, served: Cells, hosts: tuple[str, ...], axis: GridAxis
) -> dict[str, Any]:
    whole = {sum_: np.zeros(axis.columns) for sum_ in _SERVED}
    for host in hosts:
        kinds = [kind for kind in SERVING_KINDS if (host, kind) in served]
        for number, kind in enumerate(kinds):
            cells = served[host, kind]
            whole["bytes"] += cells["bytes"] if number == 0 else 0
            whole["busy_ns"] += cells["busy_ns"]
            whole["count"] += cells["count"]
        # The same requests pass several kinds of a host's components: one kind counts.
        waited = next((kind for kind in kinds if served[host, kind]["wait_ops"].any()), None)
        if waited is not None:
            for sum_ in ("wait_ns", "wait_ops"):
                whole[sum_] += served[host, waited][sum_]
        for kind in METADATA_COMPONENTS:
            for sum_ in ("meta_ops", "meta_ns"):
                whole[sum_] += served[host, kind][sum_] if (host, kind) in served else 0
    per_s = 1e9 / axis.step_ns
    return {
        "host": name,
        "mount": mount,
        "part": _part(mount, served, hosts),
        "bytes": _rounded(whole["bytes"] * per_s),
        "metadata": _rounded(whole["meta_ops"] * per_s),
        "metadata_ms": _ratio(whole["meta_ns"] / 1e6, whole["meta_ops"]),
        "request_ms": _ratio(whole["wait_ns"] / 1e6, whole["wait_ops"]),
        "busy": _ratio(whole["busy_ns"], whole["count"]),
    }


def _part(mount: str, served: Cells, hosts: tuple[str, ...]) -> FileKind:
    """Return the part of a mount that some servers serve: data, metadata, or both."""
    if not has_metadata_server(mount):
        return "file system"
    data, metadata = (
        any((host, kind) in served for host in hosts for kind in kinds)
        for kinds in (OBJECT_COMPONENTS, METADATA_COMPONENTS)
    )
    if data == metadata:
        return "file system"
    return "object servers" if data else "metadata server"


def _node(host: str, cells: Mapping[str, Floats]) -> dict[str, Any]:
    return {
        "host": host,
        "cpu": _ratio(cells["busy"], cells["whole"]),
        **{f"waits_{name}": _ratio(cells[name], cells["time"]) for name in ("cpu", "io", "memory")},
    }


def _open(
    others: Others, lives: list[Life], viewer: Viewer, mount: str, axis: GridAxis
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return whether the load of others on a mount may be published, for each column."""
    mine = {life.job for life in lives if viewer.sees(life.uid)}
    seen = np.ones(axis.columns, dtype=bool)
    for line in _LINES:
        loads = others.disclosed(
            viewer,
            owners(lives),
            "rollup",
            line,
            (axis.start_ns, axis.step_ns, axis.columns),
            without=mine,
        )
        seen &= ~np.isnan(loads.get(mount, np.zeros(axis.columns)))
    return seen


def _ratio(above: Floats, below: Floats) -> list[float | None]:
    known = below > 0
    values = np.divide(above, below, out=np.zeros_like(above), where=known)
    return [
        _said(value) if is_known else None
        for value, is_known in zip(values.tolist(), known.tolist(), strict=True)
    ]


def _rounded(values: Floats) -> list[float]:
    return [_said(value) for value in values.tolist()]


def _said(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
