"""Reads the loads of processes without a profile, as agents or `jostle run` recorded them.

`jostle run` watches the processes of its machine while its command runs; the agent watches those of
its node. If several of them watched one machine at the same time, the data of only one are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.names.users import owner_name
from jostle.repository.query.engine import Engine, total
from jostle.values.arrow_columns import ints

#: Name of the sum of all processes that were not among the largest.
OTHERS = "others"
_TEXTS = ("host", "title", "name", "owner", "cores", "group", "job")
_AMOUNTS = ("cpu_ns", "read_bytes", "write_bytes", "call_read_bytes", "call_write_bytes")
_NUMBERS = ("pid", "uid", "slice", "slice_ns", "span", *_AMOUNTS)
NO_PROCESSES = pa.table(
    {name: pa.array([], pa.string()) for name in _TEXTS}
    | {name: pa.array([], pa.int64()) for name in _NUMBERS}
)
_COLUMNS = {
    "cpu_used_ns": "cpu_ns",
    "storage_read_bytes": "read_bytes",
    "storage_write_bytes": "write_bytes",
    "storage_call_read_bytes": "call_read_bytes",
    "storage_call_write_bytes": "call_write_bytes",
}
#: A process and its profile begin at the same time; its number is reused much later.
_SPAN = "(s.slice + s.span) * s.slice_ns > $2 AND s.slice * s.slice_ns < $3"
_HAS_PROFILE = (
    "p.host = s.host AND p.pid = c.pid "
    "AND p.start_ns < (s.slice + s.span) * s.slice_ns "  # a process has a slice_ns, too
    "AND (p.end_ns = 0 OR p.end_ns > s.slice * s.slice_ns)"
)
_KEYS = ("kind", "host", "name", "job", "machine", "component", "slice", "slice_ns", "span")


def watched_processes(engine: Engine, hosts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the load of processes without a profile on some hosts, per slice.

    Args:
        engine: The repository.
        hosts: Names of the hosts.
        window: Start and end, ns since the epoch.

    Returns:
        One row per process, set of cores and slice. Processes with a profile are left out. All
        processes that were not among the largest have one row together, with name OTHERS and pid 0.
        The columns:
        host,
        title (name for users: `dd (pid 4711, root)`; processes with the same program and owner have
        the same title: `cc1 (12 processes, root)`),
        name (of the program; "": not recorded),
        owner (name of the user, or uid; "": unknown),
        cores (on which the process was sampled in this slice, or may run, such as 0-3,8; "":
        unknown),
        group (control group),
        job (to which the process belongs; "": none),
        pid, uid (-1: unknown),
        slice, slice_ns, span (above 1 if the process was not read at each slice boundary),
        cpu_ns, read_bytes and write_bytes (from and to storage), call_read_bytes and
        call_write_bytes (of system calls).
    """
    if not hosts or not engine.newest("component_slices", *window):
        return NO_PROCESSES
    columns = ", ".join(f"coalesce({name}, 0) AS {new}" for name, new in _COLUMNS.items())
    rows = engine.ask(
        lambda: (
            f'SELECT machine, s.host, s.name, c.source AS cores, c.path AS "group", s.job, '
            f"c.pid, c.uid, slice, slice_ns, span::BIGINT AS span, {columns} FROM "
            f"{engine.stored('component_slices', *window, columns=[*_KEYS, *_COLUMNS])} s "
            f"JOIN ({_components(engine)}) c USING (machine, component) "
            f"WHERE s.kind = 'process' AND list_contains($1, s.host) AND {_SPAN} "
            f"AND NOT EXISTS (SELECT 1 FROM ({engine.source('processes', *window)}) p "
            f"WHERE {_HAS_PROFILE}) ORDER BY ALL"
        ),
        [list(hosts), *window],
    )
    rows = _of_one_watcher(rows)
    owners = pa.array(
        [owner_name(uid) if uid >= 0 else "" for uid in rows["uid"].to_pylist()], pa.string()
    )
    rows = rows.append_column("owner", owners)
    return rows.append_column("title", _titles(rows)).select(NO_PROCESSES.column_names)


def seen_on_cores(engine: Engine, hosts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the cores on which processes with a profile were sampled from outside.

    Args:
        engine: The repository.
        hosts: Names of the hosts.
        window: Start and end, ns since the epoch.

    Returns:
        Columns job, host, cpus (the cores on which the job's processes may run), cores (those on
        which they were sampled; if not known, as cpus), start_ns and length_ns of the slice, and
        cpu_ns.
    """
    return engine.ask(
        lambda: (
            "SELECT p.job, s.host, coalesce(p.allowed_cpus, '') AS cpus, c.source AS cores, "
            "s.slice * s.slice_ns AS start_ns, s.span::BIGINT * s.slice_ns AS length_ns, "
            f"{total('cpu_used_ns')} AS cpu_ns FROM "
            f"{engine.stored('component_slices', *window, columns=[*_KEYS, 'cpu_used_ns'])} s "
            f"JOIN ({_components(engine)}) c USING (machine, component) "
            f"JOIN ({engine.source('processes', *window)}) p ON {_HAS_PROFILE} "
            f"WHERE s.kind = 'process' AND list_contains($1, s.host) AND {_SPAN} "
            "GROUP BY ALL ORDER BY ALL"
        ),
        [list(hosts), *window],
    )


def _components(engine: Engine) -> str:
    return (
        "SELECT DISTINCT machine, component, source, path, coalesce(pid, 0) AS pid, "
        f"coalesce(uid, -1) AS uid FROM {engine.stored('components')} WHERE kind = 'process'"
    )


def _titles(rows: pa.Table) -> pa.Array:
    """Return the name for users of the process of each row."""
    keys = [rows[name].to_pylist() for name in ("host", "job", "name", "owner", "pid")]
    who = list(zip(*keys, strict=True))
    pids: dict[tuple[str, ...], set[int]] = {}
    for *program, pid in who:
        pids.setdefault(tuple(program), set()).add(pid)
    titles = []
    for *program, pid in who:
        number = len(pids[tuple(program)])
        _, _, name, owner = program
        alone = number == 1 or not name
        facts = ", ".join(filter(None, [f"pid {pid}" if alone else f"{number} processes", owner]))
        titles.append(f"{name or 'a process'} ({facts})" if pid else "other processes")
    return pa.array(titles, pa.string())


def process_title(row: Mapping[str, Any]) -> str:
    """Return the name of a process in a sentence: `dd (pid 4711, root)`.

    Args:
        row: A row of `watched_processes`.
    """
    return str(row["title"])


def _of_one_watcher(rows: pa.Table) -> pa.Table:
    """Leave out rows that another watcher of the same machine recorded as well.

    Of the watchers of a machine, all rows of the one that watched longest are kept. Of the others,
    only rows from times without a kept row are kept.
    """
    start = ints(rows, "slice") * ints(rows, "slice_ns")
    end = start + ints(rows, "span") * ints(rows, "slice_ns")
    hosts, machines = (
        np.array(rows[name].to_pylist(), dtype=object) for name in ("host", "machine")
    )
    keep = np.zeros(rows.num_rows, dtype=bool)
    for host in sorted(set(hosts)):
        watchers = []
        for machine in sorted(set(machines[hosts == host])):
            mine = np.flatnonzero(machines == machine)
            watchers.append((int(end[mine].max() - start[mine].min()), mine))
        taken: list[tuple[int, int]] = []
        for _, mine in sorted(watchers, key=lambda watcher: -watcher[0]):
            free = np.ones(len(mine), dtype=bool)
            for lo, hi in taken:
                free &= (end[mine] <= lo) | (start[mine] >= hi)
            keep[mine[free]] = True
            taken.append((int(start[mine].min()), int(end[mine].max())))
    return rows.filter(pa.array(keep))
