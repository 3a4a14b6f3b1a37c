"""Reads the processes of a job, the newest row of each."""

from __future__ import annotations

import pyarrow as pa

from jostle.repository.query.engine import Engine


def job_processes(engine: Engine, job: str) -> pa.Table:
    """Return the processes of a job (see Repository.job_processes).

    Raises:
        DamagedError: No process is known, and a file that may have them is left out.
    """
    window = engine.window(job)
    rows = engine.ask(
        lambda: (
            f"SELECT * FROM ({engine.source('processes', *window)}) WHERE job = $1 "
            "ORDER BY start_ns, pid"
        ),
        [job],
    )
    if not rows.num_rows:
        for damaged in engine.left_out().values():
            if damaged.file.startswith("processes/"):
                raise damaged  # its processes may be in that file
    if all(rows["complete"].to_pylist()):
        return rows
    return engine.ask(
        lambda: (
            "WITH seen AS (SELECT host, max((slice + 1) * slice_ns) AS seen_ns "
            f"FROM {engine.stored('node_rollup', window[0])} WHERE job = $1 GROUP BY host) "
            "SELECT p.* REPLACE (CASE WHEN complete THEN last_slice ELSE "
            "greatest(last_slice, coalesce(seen_ns, 0) // p.slice_ns - 1) END AS last_slice) "
            f"FROM (SELECT * FROM ({engine.source('processes', *window)}) WHERE job = $1) "
            "p LEFT JOIN seen USING (host) ORDER BY start_ns, pid"
        ),
        [job],
    )
