"""Adds up processes of the same kind (job, node and program) into one row per kind.

Lists of jobs, their begins and ends, and all other facts about whole jobs are queried from these
rows. Compaction stores the rows of ended processes (maintenance/settle.py, ADR 0052), so that such
a query need not read every process that ever ran. Several files may have rows of one kind; their
columns are sums, minima and maxima, so these rows can be combined in any order.
"""

from __future__ import annotations

from jostle.names.identity import JOB_PROGRAM_SQL, named_sql
from jostle.repository.store.layout import TABLES

_SEEN = "(last_slice + 1) * slice_ns"
#: Key of a kind of processes of a job.
_KEYS = {
    "job": "job",
    "host": "host",
    "boot_id": "boot_id",
    "uid": "uid",
    "batch": "batch",
    "identity": "identity",
    "is_rank": "is_rank",
    "short": "coalesce(short, false)",
    "complete": "complete",
}
#: Columns of one kind: how rows of it are combined, and the value of one process. For killed
#: processes the end is not known: it is some time in the last slice.
_VALUES = {
    "processes": ("sum", "1"),
    "mpi_processes": ("sum", "(coalesce(mpi_state, 0) > 0)::BIGINT"),
    "records": ("sum", "records"),
    "start_ns": ("min", "start_ns"),
    "end_ns": ("max", "end_ns"),
    "seen_ns": ("max", _SEEN),
    "over_ns": (
        "max",
        f"CASE WHEN end_reason = 'killed' THEN greatest(end_ns, {_SEEN}) ELSE end_ns END",
    ),
    "longest_ns": ("max", f"greatest(end_ns, {_SEEN}) - start_ns"),
    "first_ns": ("min", "first_slice * slice_ns"),
    "slice_ns": ("min", "slice_ns"),
    "longest_slice_ns": ("max", "slice_ns"),
    "clock_state": ("max", "clock_state"),
    "clock_error_us": ("max", "clock_error_us"),
    "mpi_library": ("min", "mpi_library"),
    "basis": ("min", "nullif(basis, '')"),
}
assert [*_KEYS, *_VALUES] == list(TABLES["process_kinds"].keys), "layout.py lists the same columns"


def _together(how: str, value: str) -> str:
    return f"sum({value})::BIGINT" if how == "sum" else f"{how}({value})"


def kinds_of(processes: str) -> str:
    """Return a SELECT of the kinds of processes.

    Args:
        processes: SQL of rows of processes, each process once.
    """
    keys = ", ".join(f"{what} AS {name}" for name, what in _KEYS.items())
    values = ", ".join(f"{_together(*value)} AS {name}" for name, value in _VALUES.items())
    numbers = ", ".join(str(at + 1) for at in range(len(_KEYS)))
    return f"SELECT {keys}, {values} FROM ({named_sql(processes)}) GROUP BY {numbers}"


def added_kinds(kinds: str) -> str:
    """Return a SELECT that adds up rows of one kind."""
    values = ", ".join(f"{_together(how, name)} AS {name}" for name, (how, _) in _VALUES.items())
    return f"SELECT {', '.join(_KEYS)}, {values} FROM {kinds} GROUP BY {', '.join(_KEYS)}"


def newest_rows(rows: str, key: str = "process") -> str:
    """Return a SELECT of the newest row (the highest revision) of each process, or other key."""
    newest = f"row_number() OVER (PARTITION BY {key} ORDER BY revision DESC) = 1"
    return f"SELECT * FROM {rows} QUALIFY {newest}"


def jobs_of(kinds: str) -> str:
    """Return a SELECT of jobs, with all facts from their processes.

    In addition to the columns of view `jobs`: over_ns (end of the job; if its last process was
    killed, the end of that process's last slice; 0 while the job runs), first_ns and seen_ns (start
    of its first slice, end of its newest), nodes, clocks (boot ids of its nodes), mpi_processes,
    records and basis (origin of its times, "" for profiles).

    Args:
        kinds: A table or subquery of kinds of processes.
    """
    return f"""
SELECT job, min(start_ns) AS start_ns,
       CASE WHEN bool_and(complete) THEN max(end_ns)
            ELSE greatest(max(end_ns), max(seen_ns)) END AS end_ns,
       NOT bool_and(complete) AS running,
       sum(processes)::BIGINT AS processes, sum(short_processes)::BIGINT AS short_processes,
       len(list_distinct(flatten(list(nodes)))) AS hosts,
       {JOB_PROGRAM_SQL} AS program,
       CASE WHEN min(least_uid) = max(most_uid) THEN min(least_uid) END AS uid,
       min(slice_ns) AS slice_ns, max(clock_state) AS clock_state,
       max(clock_error_us) AS clock_error_us,
       CASE WHEN bool_and(complete) THEN max(over_ns) ELSE 0 END AS over_ns,
       min(first_ns) AS first_ns, max(seen_ns) AS seen_ns,
       max(longest_slice_ns) AS longest_slice_ns,
       list_sort(list_distinct(flatten(list(nodes)))) AS nodes,
       list_sort(list_distinct(flatten(list(clocks)))) AS clocks,
       sum(mpi_processes)::BIGINT AS mpi_processes, sum(records)::BIGINT AS records,
       coalesce(min(basis), '') AS basis
FROM (
    SELECT job, identity, is_rank, sum(processes) AS processes,
           coalesce(sum(processes) FILTER (short), 0) AS short_processes,
           max(struct_pack(is_long := NOT short, ns := longest_ns)) AS longest,
           min(start_ns) AS start_ns, max(end_ns) AS end_ns, max(seen_ns) AS seen_ns,
           max(over_ns) AS over_ns, min(first_ns) AS first_ns,
           bool_and(complete) AS complete, min(slice_ns) AS slice_ns,
           max(longest_slice_ns) AS longest_slice_ns, max(clock_state) AS clock_state,
           max(clock_error_us) AS clock_error_us, min(uid) AS least_uid, max(uid) AS most_uid,
           list(DISTINCT host) AS nodes, list(DISTINCT boot_id) AS clocks,
           sum(mpi_processes) AS mpi_processes, sum(records) AS records, min(basis) AS basis
    FROM {kinds} GROUP BY job, identity, is_rank)
GROUP BY job"""
