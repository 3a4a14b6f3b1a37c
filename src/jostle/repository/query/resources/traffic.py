"""Reads the traffic between hosts per slice, of MPI messages and of file access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.resources.co_running import MPI_BYTES, MPI_OPS, added
from jostle.repository.query.resources.machine_loads import servers_of
from jostle.values.traffic import COLLECTIVES, PAIRS, SPREAD, Traffic

_SPAN = "(slice::HUGEINT + span) * slice_ns > $1 AND slice::HUGEINT * slice_ns < $2"
_SLICE = "slice, slice_ns, span"
_RANKS = """
SELECT process, job, coalesce(world, '') AS world, coalesce(world_rank, -1)::BIGINT AS rank,
       coalesce(world_size, 0)::BIGINT AS size, host
FROM (SELECT * FROM {processes}
      WHERE first_slice::HUGEINT * slice_ns < $2 AND ($3 IS NULL OR list_contains($3, job))
        AND (NOT complete OR (last_slice::HUGEINT + 1) * slice_ns > $1)
      QUALIFY row_number() OVER (PARTITION BY process ORDER BY revision DESC) = 1)
ORDER BY job, world, rank, start_ns, process
"""
#: Most ranks; a damaged profile may have any size of its world.
_MOST_RANKS = 1 << 20
#: The host of a rank; of two processes with one rank, the later one counts.
_LIVES = """
here AS (SELECT process, any_value(job) AS job, any_value(coalesce(world, '')) AS world,
                any_value(host) AS host FROM {processes} GROUP BY process),
there AS (SELECT job, coalesce(world, '') AS world, world_rank AS rank,
                 arg_max(host, start_ns) AS host
          FROM {processes} WHERE world_rank >= 0 GROUP BY ALL)
"""


def traffic(engine: Engine, span: tuple[int, int], jobs: Sequence[str] | None) -> Traffic:
    """Return the traffic between hosts (see Repository.traffic)."""
    window = [*span, None if jobs is None else list(jobs)]
    ranks = engine.ask(lambda: _RANKS.format(processes=engine.stored("processes")), window)
    groups = _Groups(ranks)
    pairs = [_messages(engine, window, ranks), _gets(engine, window), _files(engine, window)]
    collectives = _collectives(engine, window, groups)
    spread = [_spread(engine, window, groups), _unnamed(engine, window, groups)]
    return Traffic(
        pa.concat_tables([table.cast(PAIRS) for table in pairs]),
        collectives,
        pa.concat_tables(spread),
        groups.hosts,
    )


def port_counters(engine: Engine, span: tuple[int, int]) -> pa.Table:
    """Return the counters of ports and network interfaces (see Repository.port_counters)."""
    counted = {
        "sent": "link_send_bytes",
        "received": "link_receive_bytes",
        "wait_ticks": "link_wait_ticks",
    }
    columns = ", ".join(f"{total(metric)} AS {name}" for name, metric in counted.items())
    return engine.ask(
        lambda: (
            f"SELECT host, name, {_SLICE}, {columns} "
            f"FROM {engine.stored('component_slices', *span)} WHERE {_SPAN} "
            "AND kind IN ('interface', 'port') "
            "AND NOT list_contains(string_split(coalesce(unknown, ''), ' '), 'link_send_bytes') "
            f"GROUP BY host, name, {_SLICE} ORDER BY ALL"
        ),
        list(span),
    )


def _asked(
    engine: Engine, window: Sequence[Any], table: str, question: str, more: Sequence[Any] = ()
) -> pa.Table:
    """Query one table of slices; `{rows}` are its rows in the span, of the requested jobs.

    Args:
        engine: The repository.
        window: Start, end and jobs: parameters 1 to 3.
        table: Name of the table.
        question: SQL of the query.
        more: Further parameters.
    """

    def sql() -> str:
        rows = (
            f"(SELECT * FROM {engine.stored(table, window[0], window[1])} WHERE {_SPAN} "
            "AND ($3 IS NULL OR list_contains($3, job)))"
        )
        lives = _LIVES.format(processes=engine.stored("processes"))
        slices = engine.stored("slices", window[0], window[1])
        return question.format(rows=rows, lives=lives, slices=slices)

    return engine.ask(sql, [*window, *more])


def _messages(engine: Engine, window: Sequence[Any], ranks: pa.Table) -> pa.Table:
    """Return the messages of ranks, as counted by the sender.

    There may be ten million rows, and DuckDB groups numbers faster than names.
    """
    jobs, hosts = (pc.unique(ranks[name]).to_pylist() for name in ("job", "host"))
    rows = _asked(
        engine,
        window,
        "peer_slices",
        "WITH {lives}, jobs AS (SELECT unnest($4::VARCHAR[]) AS job, "
        "unnest(range(len($4)))::INTEGER AS number), "
        "hosts AS (SELECT unnest($5::VARCHAR[]) AS host, "
        "unnest(range(len($5)))::INTEGER AS number), "
        "mine AS (SELECT process, job, world, j.number AS job_number, h.number AS source "
        "FROM here JOIN jobs j USING (job) JOIN hosts h USING (host)) "
        f"SELECT mine.job_number AS job, {_SLICE}, mine.source, t.target, "
        f"{total('sent_bytes')} AS bytes, {total('sent_ops')} AS ops "
        "FROM {rows} p JOIN mine USING (process) LEFT JOIN "
        "(SELECT job, world, rank, h.number AS target FROM there JOIN hosts h USING (host)) t "
        "ON t.job = mine.job AND t.world = mine.world AND t.rank = p.peer "
        "WHERE p.peer >= 0 AND (sent_bytes > 0 OR sent_ops > 0) "
        "AND mine.source IS DISTINCT FROM t.target GROUP BY ALL",
        [jobs, hosts],
    )
    names = {"job": jobs, "source": hosts, "target": [*hosts, ""]}
    columns = {name: rows[name] for name in PAIRS.names if name in rows.column_names}
    for name, known in names.items():
        codes = rows[name].combine_chunks().fill_null(len(known) - 1).cast(pa.int32())
        columns[name] = pa.DictionaryArray.from_arrays(codes, pa.array(known, pa.string()))
    columns["mount"] = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows.num_rows, np.int32)), pa.array([""])
    )
    return pa.table(columns).select(PAIRS.names)


def _gets(engine: Engine, window: Sequence[Any]) -> pa.Table:
    """Return the bytes that ranks fetched from others' memory, which the others do not count.

    A metric of the rank shows how many bytes it fetched; the bytes that it received from each
    partner show from whom.
    """
    return _asked(
        engine,
        window,
        "peer_slices",
        "WITH {lives}, fetched AS (SELECT process, slice, slice_ns, span, mpi_get_bytes, "
        "coalesce(mpi_get_ops, 0) AS mpi_get_ops FROM {slices} "
        f"WHERE mpi_get_bytes > 0 AND {_SPAN}), parts AS ("
        "SELECT p.job, p.process, p.peer, f.slice, f.slice_ns, f.span, mpi_get_bytes, mpi_get_ops, "
        "recv_bytes / sum(recv_bytes) OVER (PARTITION BY p.process, f.slice) AS part "
        "FROM {rows} p JOIN fetched f ON f.process = p.process AND f.slice >= p.slice "
        "AND f.slice < p.slice + p.span WHERE recv_bytes > 0) "
        f"SELECT p.job, {_SLICE}, coalesce(there.host, '') AS source, here.host AS target, "
        "round(sum(mpi_get_bytes * part))::BIGINT AS bytes, "
        "round(sum(mpi_get_ops * part))::BIGINT AS ops, '' AS mount "
        "FROM parts p JOIN here USING (process) LEFT JOIN there "
        "ON there.job = p.job AND there.world = here.world AND there.rank = p.peer "
        "WHERE p.peer >= 0 AND here.host <> coalesce(there.host, '') "
        f"GROUP BY p.job, {_SLICE}, there.host, here.host",
    )


def _files(engine: Engine, window: Sequence[Any]) -> pa.Table:
    """Return the bytes that nodes wrote to and read from file servers; "": server unknown."""

    def moved(name: str) -> str:
        return total(added((f"posix_{name}", f"stdio_{name}")))

    behind = [
        (mount, server, len(servers))
        for mount, servers in _servers(engine).items()
        for server in servers
    ]
    columns = [list(column) for column in zip(*behind, strict=True)] or [[], [], []]

    def way(source: str, target: str, moved: str, ops: str) -> str:
        return (
            f"SELECT job, {_SLICE}, {source} AS source, {target} AS target, "
            f"{moved} // number AS bytes, {ops} // number AS ops, mount "
            f"FROM moved JOIN behind USING (mount) WHERE {moved} >= number AND host <> server"
        )

    return _asked(
        engine,
        window,
        "mount_slices",
        "WITH behind AS (SELECT unnest($4::VARCHAR[]) AS mount, unnest($5::VARCHAR[]) AS server, "
        f"unnest($6::BIGINT[]) AS number), moved AS (SELECT job, host, mount, {_SLICE}, "
        f"{moved('read_bytes')} AS read, {moved('write_bytes')} AS written, "
        f"{moved('read_ops')} AS reads, {moved('write_ops')} AS writes FROM {{rows}} "
        f"WHERE list_contains($4, mount) GROUP BY job, host, mount, {_SLICE}) "
        f"{way('host', 'server', 'written', 'writes')} UNION ALL "
        f"{way('server', 'host', 'read', 'reads')}",
        columns,
    )


def _servers(engine: Engine) -> dict[str, tuple[str, ...]]:
    """Return the hosts that serve each network mount: from agents, else from its source.

    A mount whose server is not known has "".
    """
    rows = engine.query(
        "SELECT DISTINCT mount, type, source FROM mounts WHERE shared AND source <> ''"
    ).to_pylist()
    known = servers_of(engine, [row["mount"] for row in rows], of_data=True)
    return {
        row["mount"]: known.get(row["mount"]) or (_host_in(row["type"], row["source"]),)
        for row in rows
        if ":" in row["source"] or row["mount"] in known
    }


def _host_in(kind: str, source: str) -> str:
    """Return the host that a mount's source names, if that host serves the data; else ""."""
    host = source.rpartition(":")[0]
    is_plain = kind.startswith("nfs") or kind == "fuse.sshfs"
    return host.rpartition("@")[2].strip("[]") if is_plain else ""


def _collectives(engine: Engine, window: Sequence[Any], groups: _Groups) -> pa.Table:
    """Return collective calls, added up over the ranks of a communicator."""
    rows = _asked(
        engine,
        window,
        "collective_slices",
        f"WITH {{lives}} SELECT c.job, here.world, communicator, operation, root, {_SLICE}, "
        f"{total('ops')} AS ops, {total('bytes')} AS bytes FROM {{rows}} c JOIN here "
        f"USING (process) WHERE operation <> '' "
        f"GROUP BY c.job, here.world, communicator, operation, root, {_SLICE} "
        "HAVING sum(bytes) > 0",
    )
    names = ("job", "world", "communicator", "root")
    parts = [rows[name].unique() for name in names]
    codes = [
        pc.index_in(rows[name], part).to_numpy() for name, part in zip(names, parts, strict=True)
    ]
    known = [part.to_pylist() for part in parts]
    groups.read_members(engine, sorted(known[0]))
    distinct, place = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    group, root = [], []
    for one in distinct.tolist():
        job, world, communicator, rank = (
            values[code] for values, code in zip(known, one, strict=True)
        )
        group.append(groups.communicator(job, world, communicator))
        root.append(groups.place(group[-1], rank))
    columns = {name: rows[name] for name in COLLECTIVES.names if name not in ("group", "root")}
    columns |= {
        name: pa.array(np.array(values, np.int64)[place.ravel()])
        for name, values in (("group", group), ("root", root))
    }
    return pa.table(columns).select(COLLECTIVES.names).cast(COLLECTIVES)


def _unnamed(engine: Engine, window: Sequence[Any], groups: _Groups) -> pa.Table:
    """Return the traffic for which ranks had no entry in their tables of partners or calls."""
    tables = [
        _asked(
            engine,
            window,
            table,
            f"SELECT job, {_SLICE}, host, {total(moved)} AS bytes, {total(ops)} AS ops "
            f"FROM {{rows}} WHERE {which} AND {moved} > 0 GROUP BY job, {_SLICE}, host",
        )
        for table, which, moved, ops in (
            ("peer_slices", "peer < 0", "sent_bytes", "sent_ops"),
            ("collective_slices", "operation = ''", "bytes", "ops"),
        )
    ]
    return groups.with_hosts(pa.concat_tables(tables))


def _spread(engine: Engine, window: Sequence[Any], groups: _Groups) -> pa.Table:
    """Return the MPI traffic of jobs whose profiles have no tables of partners."""
    recorded = {
        str(job)
        for table in ("peer_slices", "collective_slices")
        for job in _asked(engine, window, table, "SELECT DISTINCT job FROM {rows}")[
            "job"
        ].to_pylist()
    }
    moved, calls = (added(f"{name}_sum" for name in names) for names in (MPI_BYTES, MPI_OPS))
    rows = engine.ask(
        lambda: (
            f"SELECT job, slice, slice_ns, 1 AS span, host, {total(moved)} AS bytes, "
            f"{total(calls)} AS ops FROM {engine.stored('node_rollup', window[0], window[1])} "
            "WHERE (slice::HUGEINT + 1) * slice_ns > $1 AND slice::HUGEINT * slice_ns < $2 "
            "AND ($3 IS NULL OR list_contains($3, job)) AND NOT list_contains($4, job) "
            f"GROUP BY job, slice, slice_ns, host HAVING bytes > 0"
        ),
        [*window, sorted(recorded)],
    )
    return groups.with_hosts(rows)


class _Groups:
    """Groups of ranks that share traffic, such as the members of a communicator, by number."""

    def __init__(self, ranks: pa.Table) -> None:
        self.hosts: list[tuple[str, ...]] = []
        self._worlds: dict[tuple[str, str], dict[int, str]] = {}
        self._sizes: dict[tuple[str, str], int] = {}
        self._jobs: dict[str, dict[str, None]] = {}
        columns = (ranks[name].to_pylist() for name in ("job", "world", "rank", "size", "host"))
        for job, world, rank, size, host in zip(*columns, strict=True):
            self._jobs.setdefault(job, {})[host] = None
            if rank >= 0:
                self._worlds.setdefault((job, world), {})[rank] = host
                self._sizes[job, world] = max(size, self._sizes.get((job, world), 0))
        self._members: dict[tuple[str, str, int], list[int]] = {}
        self._known: dict[object, int] = {}
        self._ranks: list[list[int]] = []

    def read_members(self, engine: Engine, jobs: Sequence[str]) -> None:
        """Read the ranks of some jobs' communicators."""
        if not jobs:
            return
        rows = engine.ask(
            lambda: (
                f"WITH {_LIVES.format(processes=engine.stored('processes'))} "
                "SELECT here.job, here.world, communicator, "
                "any_value(ranks) FILTER (len(ranks) > 0) AS ranks "
                f"FROM {engine.stored('communicators')} c JOIN here USING (process) "
                "WHERE list_contains($1, here.job) GROUP BY here.job, here.world, communicator"
            ),
            [list(jobs)],
        )
        for row in rows.to_pylist():
            self._members[row["job"], row["world"], row["communicator"]] = row["ranks"] or []

    def communicator(self, job: str, world: str, communicator: int) -> int:
        """Return the group of a communicator; its hosts are empty if its ranks are not known."""
        world_ranks = self._worlds.get((job, world), {})
        ranks = self._members.get((job, world, communicator), [])
        if communicator == 0:
            ranks = list(range(min(self._sizes.get((job, world), 0), _MOST_RANKS)))
        return self._new(
            (job, world, communicator), ranks, tuple(world_ranks.get(rank, "") for rank in ranks)
        )

    def place(self, group: int, rank: int) -> int:
        """Return the index of a world rank in a communicator; -1: not a member."""
        ranks = self._ranks[group]
        return ranks.index(rank) if rank in ranks else -1

    def with_hosts(self, rows: pa.Table) -> pa.Table:
        """Add the group of all hosts of each row's job."""
        names = rows["job"].cast(pa.string()).unique()
        known = [
            self._new(job, [], tuple(sorted(self._jobs.get(job, {})))) for job in names.to_pylist()
        ]
        group = pa.array(known, pa.int64()).take(pc.index_in(rows["job"].cast(pa.string()), names))
        return rows.append_column("group", group).select(SPREAD.names).cast(SPREAD)

    def _new(self, key: object, ranks: list[int], hosts: tuple[str, ...]) -> int:
        if key not in self._known:
            self._known[key] = len(self.hosts)
            self.hosts.append(hosts)
            self._ranks.append(ranks)
        return self._known[key]
