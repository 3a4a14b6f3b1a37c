"""Reads when each process of a job moved its first and last bytes on each mount."""

from __future__ import annotations

import pyarrow as pa

from jostle.repository.query.engine import Engine, total

_KINDS = [f"{kind}_{way}_bytes" for kind in ("posix", "stdio") for way in ("read", "write")]
_BYTES = " + ".join(f"coalesce({name}, 0)::HUGEINT" for name in _KINDS)


def process_ends(engine: Engine, job: str) -> tuple[pa.Table, pa.Table]:
    """Return when processes moved bytes on mounts, and the job's traffic there per slice.

    Args:
        engine: The repository.
        job: The job.

    Returns:
        Two tables. One row per mount and process, in order of rank: mount, name ("rank 3", else
        host and pid), first_ns, last_ns, bytes, slice_ns. One row per mount and slice of the job:
        mount, start_ns, length_ns, bytes.
    """
    lo, hi = engine.window(job)
    ends = engine.ask(
        lambda: (
            "SELECT e.* EXCLUDE (process, last_ns), CASE WHEN p.end_ns > e.first_ns "
            "THEN least(e.last_ns, p.end_ns) ELSE e.last_ns END AS last_ns, "
            "CASE WHEN p.world_size > 1 THEN 'rank ' || p.world_rank "
            "ELSE p.host || ' ' || p.pid END AS name FROM ("
            "SELECT mount, process, min(slice * slice_ns) AS first_ns, "
            f"max((slice + span) * slice_ns) AS last_ns, {total(_BYTES)} AS bytes, "
            f"max(slice_ns) AS slice_ns FROM {engine.stored('mount_slices', lo, hi)} "
            f"WHERE job = $1 AND {_BYTES} > 0 GROUP BY mount, process) e "
            f"JOIN ({engine.source('processes', lo, hi)}) p USING (process) "
            "ORDER BY mount, p.world_rank, p.host, p.pid"
        ),
        [job],
    )
    sums = " + ".join(f"coalesce({name}_sum, 0)::HUGEINT" for name in _KINDS)
    moved = engine.ask(
        lambda: (
            f"SELECT mount, slice * slice_ns AS start_ns, slice_ns AS length_ns, {total(sums)} "
            f"AS bytes FROM {engine.stored('rollup', lo, hi)} WHERE job = $1 "
            "GROUP BY mount, slice, slice_ns ORDER BY mount, start_ns"
        ),
        [job],
    )
    return ends, moved
