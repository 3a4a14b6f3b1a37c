"""Finds load of programs without a profile, from the counters of machines, and adds it as suspects.

A file system's client counts the bytes of a mount on each node, and its server counts them, too. If
they exceed the bytes in the profiles, the rest was moved by programs without a profile: static
binaries, containers, jobs that opted out, other clusters. But profiles and counters do not count a
byte at the same instant: a long write is in its profile when it ends, and the client writes it back
later. So the difference counts only where it exceeds its own recent maximum.

Metadata operations are compared only where a file system has metadata servers. One call may cause
several requests, or none if a cache answers it. So the usual number of requests per call is
estimated for each node, as the median over spans of slices, and only requests far beyond this
number count. On a node without profiled calls, all requests are load without a profile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.resources.shared import OPERATION, Axis, Floats, job_axis
from jostle.analysis.series import resample
from jostle.repository.query.resources.co_running import CoRunning, JobFacts
from jostle.repository.query.resources.machine_loads import CLIENTS_OF_SERVERS, SERVING_KINDS
from jostle.values.arrow_columns import ints
from jostle.values.storage_servers import has_metadata_server

# Written back, or read ahead, within this time: the kernel keeps dirty pages for 30 s.
_LATELY_NS = 40_000_000_000
#: Part of the greatest load in a slice: smaller loads come from rounding.
_TINY = 0.02
#: A server moves more than clients request (headers, retries, read-ahead), by this part at most.
_SERVER_EXTRA = 0.1
#: Slices per span of comparison, and the quantile over spans at which nobody else is active.
_BLOCK, _ALONE = 8, 0.2
#: Part of the most requests in such a span: the ratio of spans with fewer is not used.
_SOME = 0.1
#: Part of all traffic: a smaller difference is an error of counting, not load.
_LEAST = 0.05
#: Times as many requests for a call as usual: a program may begin to do something else.
_MORE_REQUESTS = 2.0
#: A mount of Ceph counts all that its connections received, also the answers of the metadata server
#: and its occasional other messages: per request at most this many bytes.
_CEPH, _ANSWER = ("ceph:", "ceph-fuse:"), 2048
_DIRECTIONS = ("read_bytes", "write_bytes")
_TRAFFIC = (*_DIRECTIONS, "meta_ops")
_COLUMNS = {
    "read_bytes": "posix_read_bytes",
    "write_bytes": "posix_write_bytes",
    "meta_ops": "posix_meta_ops",
}
#: Counters of a server's component for what it read and wrote for its clients.
_LINK = {"read_bytes": "link_send_bytes", "write_bytes": "link_receive_bytes"}
_STORAGE = {name: f"storage_{name}" for name in _TRAFFIC}


def with_unprofiled(alongside: CoRunning) -> CoRunning:
    """Return a job and its neighbours, with load without a profile added as further neighbours.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
    """
    machines = alongside.machines
    if not any(
        table.num_rows for table in (machines.clients, machines.servers, machines.disk_users)
    ):
        return alongside
    axis = job_axis(alongside)
    if not axis[2]:
        return alongside
    others, rows = dict(alongside.others), []
    for mount in pc.unique(alongside.own_mounts.column("mount")).to_pylist():
        by_name = _on_clients(alongside, mount, axis) | _on_disk(alongside, mount, axis)
        for name, load in (
            *_of_jobs(alongside, mount, axis).items(),
            *_asked(alongside, mount, axis),
        ):
            _put(by_name, name, load)
        rest = _on_server(alongside, mount, axis, list(by_name.values()))
        if rest is not None:
            _put(by_name, *rest)
        for name, load in by_name.items():
            rows.append(_rows(alongside, name, mount, load, axis))
            others[name] = _facts(alongside, name, axis)
    if not rows:
        return alongside
    table = pa.concat_tables([alongside.mount_loads, *rows], promote_options="default")
    return replace(alongside, others=others, mount_loads=table)


Load = dict[str, Floats]


def _put(by_name: dict[str, Load], name: str, load: Load) -> None:
    """Add a load to the known loads. If it is known from another counter, the larger count is kept.

    The two counts are of the same bytes, so they are not added.
    """
    known = by_name.get(name)
    by_name[name] = (
        load if known is None else {key: np.maximum(known[key], load[key]) for key in load}
    )


def _facts(alongside: CoRunning, name: str, axis: Axis) -> JobFacts:
    return JobFacts(
        job=name,
        kind="unprofiled",
        start_ns=axis[0],
        end_ns=0,
        seen_ns=axis[0] + axis[1] * axis[2],
        slice_ns=axis[1],
        clocks=alongside.job.clocks,
    )


def _laid(rows: pa.Table, name: str, axis: Axis) -> Floats:
    length = ints(rows, "slice_ns")
    start = ints(rows, "slice") * length
    return resample(start, length * ints(rows, "span"), ints(rows, name), axis)


def _where(rows: pa.Table, **equal: str) -> pa.Table:
    for column, value in equal.items():
        rows = rows.filter(pc.equal(rows.column(column), value))
    return rows


def _beyond(counted: Floats, profiled: Floats, axis: Axis) -> Floats:
    """Return per slice what counters counted in addition to what is in the profiles.

    The difference between both sums since the start varies while writes are in progress. Only the
    part by which it exceeds its recent maximum is load without a profile.
    """
    ahead = np.cumsum(counted - profiled)
    width = max(int(_LATELY_NS // axis[1]), 1)
    lately = np.concatenate([np.zeros(width), ahead])  # no difference existed before the job
    windows = np.lib.stride_tricks.sliding_window_view(lately, width)[: len(ahead)]
    grown = np.minimum(np.maximum(ahead - windows.max(axis=1), 0.0), counted)
    return np.asarray(np.where(grown > _TINY * float(grown.max(initial=0.0)), grown, 0.0))


def _notable(load: Load, counted: Load) -> Load | None:
    """Return a load without the directions in which it may be an error of counting.

    Metadata operations are also set to 0: they are compared in `_asked`.

    Args:
        load: The load.
        counted: All traffic that the same counters counted.

    Returns:
        The load; None: it may be an error of counting in both directions.
    """
    whole = sum(float(counted[name].sum()) for name in _DIRECTIONS)
    kept = {
        name: values
        if name in _DIRECTIONS and values.sum() > _LEAST * max(whole, 1.0)
        else np.zeros(len(values))
        for name, values in load.items()
    }
    return kept if any(values.any() for values in kept.values()) else None


def _on_clients(alongside: CoRunning, mount: str, axis: Axis) -> dict[str, Load]:
    """Return the loads on a mount that its clients counted on nodes, but that no profile has.

    The loads of a job on several nodes are added up under one name.
    """
    found: dict[str, Load] = {}
    clients = _where(alongside.machines.clients, mount=mount)
    for host in pc.unique(clients.column("host")).to_pylist() if clients.num_rows else []:
        mine = _where(clients, host=host)
        profiled = _where(alongside.machines.profiled, mount=mount, host=host)
        counted = {name: _laid(mine, name, axis) for name in _TRAFFIC}
        theirs = {name: _laid(profiled, name, axis) for name in _TRAFFIC}
        if mount.startswith(_CEPH):
            theirs["read_bytes"] += _ANSWER * counted["meta_ops"]
        load = {name: _beyond(counted[name], theirs[name], axis) for name in _TRAFFIC}
        notable = _notable(load, counted)
        if notable is not None:  # a job has one name on all of its nodes
            name = _name_of(alongside, host)
            known = found.get(name, {})
            found[name] = {way: known.get(way, 0.0) + values for way, values in notable.items()}
    return found


def _asked(alongside: CoRunning, mount: str, axis: Axis) -> Iterable[tuple[str, Load]]:
    """Yield the name and the metadata operations of each load without a profile.

    If the server counts operations for each node, its counts are used, else those of the node.
    """
    if not has_metadata_server(mount):
        return []
    machines = alongside.machines
    places = pa.array(sorted(set(machines.places.get(mount, (mount,)))))
    profiled = machines.profiled
    profiled = profiled.filter(pc.is_in(profiled.column("mount"), places))
    known = set(profiled.column("host").to_pylist())
    rows = _where(machines.clients, mount=mount)
    counted = {
        host: _laid(_where(rows, host=host), "meta_ops", axis)
        for host in sorted(set(rows.column("host").to_pylist()))
    }
    rows = _where(machines.servers, mount=mount, job="")
    rows = rows.filter(pc.is_in(rows.column("kind"), pa.array(CLIENTS_OF_SERVERS)))
    for client in sorted(set(rows.column("name").to_pylist()) - {""}):
        short = client.partition(".")[0]
        host = short if short in known and client not in known else client
        counted[host] = _laid(_where(rows, name=client), "storage_meta_ops", axis)
    whole = sum(float(values.sum()) for values in counted.values())
    zero, found = np.zeros(axis[2]), dict[str, Floats]()
    for host, values in counted.items():
        calls = _laid(_where(profiled, host=host), "meta_ops", axis)
        load = _beyond_calls(values, calls)
        if load.sum() > _LEAST * max(whole, 1.0):
            name = _name_of(alongside, host)
            found[name] = found.get(name, zero) + load
    return [
        (name, {"read_bytes": zero, "write_bytes": zero, "meta_ops": load})
        for name, load in found.items()
    ]


def _beyond_calls(counted: Floats, calls: Floats) -> Floats:
    """Return per slice the requests of a node that its profiled calls do not explain."""
    ratios = _by_block(counted, calls)
    usual = float(np.median(ratios)) if len(ratios) else 1.0
    # A call's requests may be counted in the slice before or after it.
    near = np.max([np.roll(calls, -1), calls, np.roll(calls, 1)], axis=0)
    load = np.maximum(counted - _MORE_REQUESTS * usual * near, 0.0)
    return np.asarray(np.where(load > _TINY * float(load.max(initial=0.0)), load, 0.0))


def _by_block(counted: Floats, known: Floats) -> Floats:
    """Return counted / known for each span of slices in which enough is known."""
    whole = len(counted) // _BLOCK * _BLOCK
    above, below = (values[:whole].reshape(-1, _BLOCK).sum(axis=1) for values in (counted, known))
    some = below > _SOME * max(float(below.max(initial=0.0)), 1.0)
    return np.asarray(above[some] / below[some])


def _on_disk(alongside: CoRunning, mount: str, axis: Axis) -> dict[str, Load]:
    """Return the load of each process without a profile on the disks behind a mount."""
    rows = _where(alongside.machines.disk_users, mount=mount)
    names = pc.unique(rows.column("name")).to_pylist() if rows.num_rows else []
    counted = {name: _laid(rows, name, axis) for name in _DIRECTIONS}
    found = {}
    for title in names:
        mine = _where(rows, name=title)
        load = {name: _laid(mine, name, axis) for name in _DIRECTIONS}
        notable = _notable(load | {"meta_ops": np.zeros(axis[2])}, counted)
        if notable is not None:
            found[title] = notable
    return found


def _name_of(alongside: CoRunning, host: str) -> str:
    """Name the load without a profile of a node, if possible by the batch jobs that cause it."""
    groups = _where(alongside.machines.groups, host=host)
    jobs = sorted(set(groups.column("job").to_pylist()))
    if len(jobs) == 1:
        return f"{jobs[0]} (no profile)"
    if jobs:
        return f"{' or '.join(jobs[:3])}{' or others' if len(jobs) > 3 else ''} (no profile)"
    return f"unprofiled load of {host}"


def _of_jobs(alongside: CoRunning, mount: str, axis: Axis) -> dict[str, Load]:
    """Return the loads of jobs without a profile for which the server counts separately."""
    rows = _where(alongside.machines.servers, mount=mount)
    rows = rows.filter(pc.not_equal(rows.column("job"), ""))
    unseen = set(alongside.machines.groups.column("job").to_pylist())
    found: dict[str, Load] = {}
    for job in sorted(set(rows.column("job").to_pylist()) & unseen):
        found[f"{job} (no profile)"] = {
            name: _laid(_where(rows, job=job), column, axis) for name, column in _STORAGE.items()
        }
    return found


def _extra(counted: Floats, theirs: Floats) -> float:
    """Return how many bytes a server moves for each byte that its clients request.

    The ratio is estimated from the spans of slices in which it is small: a ratio that is too large
    would hide the beginning of each load.
    """
    ratios = _by_block(counted, theirs)
    ratio = float(np.quantile(ratios, _ALONE)) if len(ratios) else 1.0
    return float(np.clip(ratio, 1.0, 1 + _SERVER_EXTRA))


def _on_server(
    alongside: CoRunning, mount: str, axis: Axis, known: Iterable[Load]
) -> tuple[str, Load] | None:
    """Return the name and the load of what a mount's server moved and nobody else counted.

    That is, what is neither in a profile nor in `known`.

    Args:
        alongside: The job and its neighbours.
        mount: The mount.
        axis: The job's slices.
        known: Loads without a profile that are known from other counters.

    Returns:
        The name and the load; None: no such load, or no server is monitored.
    """
    rows = _where(alongside.machines.servers, mount=mount, job="")
    kinds = set(rows.column("kind").to_pylist())
    kind = next((kind for kind in SERVING_KINDS if kind in kinds), None)
    if kind is None:
        return None
    rows = _where(rows, kind=kind)
    columns = _LINK if kind == "interface" else _STORAGE
    places = set(alongside.machines.places.get(mount, (mount,)))
    profiled = alongside.machines.profiled
    profiled = profiled.filter(pc.is_in(profiled.column("mount"), pa.array(sorted(places))))
    zero = np.zeros(axis[2])
    counted = {
        name: _laid(rows, columns[name], axis) if name in columns else zero for name in _TRAFFIC
    }
    load = {}
    for name in _TRAFFIC:
        theirs = _laid(profiled, name, axis) + sum((each[name] for each in known), zero)
        if kind == "ceph_osd" and name == "write_bytes":  # they keep the metadata server's journal
            asked = sum((each["meta_ops"] for each in known), _laid(profiled, "meta_ops", axis))
            theirs = theirs + OPERATION * asked
        load[name] = _beyond(counted[name], theirs * _extra(counted[name], theirs), axis)
    notable = _notable(load, counted)
    if notable is None:
        return None
    jobs = sorted(set(alongside.machines.groups.column("job").to_pylist()))
    if len(jobs) == 1:  # the only one of the site without a profile
        return f"{jobs[0]} (no profile)", notable
    hosts = sorted(set(rows.column("host").to_pylist()))
    return f"unprofiled load on {', '.join(hosts[:3])}", notable


def _rows(alongside: CoRunning, name: str, mount: str, load: Load, axis: Axis) -> pa.Table:
    """Return a load as rows of CoRunning.mount_loads."""
    moved = sum(load.values(), np.zeros(axis[2]))
    at = np.flatnonzero(moved > 0)
    start = axis[0] + at * axis[1]
    columns = {
        "job": [name] * len(at),
        "mount": [mount] * len(at),
        "slice": start // axis[1],
        "slice_ns": np.full(len(at), axis[1]),
        "start_ns": start,
        "length_ns": np.full(len(at), axis[1]),
        "count": np.ones(len(at), np.int64),
    }
    for key, column in _COLUMNS.items():
        columns[column] = load[key][at].astype(np.int64)
    schema = alongside.mount_loads.schema
    return pa.table(
        {
            field.name: pa.array(columns[field.name], field.type)
            if field.name in columns
            else pa.array(np.zeros(len(at), np.int64)).cast(field.type)
            for field in schema
        }
    )
