"""A job's own slices out of the rollups: what an estimate of its run needs beside its segments."""

from __future__ import annotations

import pyarrow as pa

from jostle._schema import MOUNT_IDS
from jostle.repository.layout import STATS, TABLES
from jostle.repository.query import Engine, total

#: The metrics of scope process that an estimate looks at: all 160 of a day on ten nodes are a GB.
RUN_METRICS = (
    "os_user_ns", "os_system_ns", "os_runqueue_ns", "os_voluntary_switches",
    "os_involuntary_switches", "os_major_faults", "os_threads", "os_read_chars", "os_write_chars",
    "stream_read_ops", "stream_read_bytes", "stream_read_ns", "stream_write_ops",
    "stream_write_bytes", "stream_write_ns", "self_cost_ns", "self_heartbeat_ns",
    "state_p2p_ns", "state_collective_ns", "state_onesided_ns", "state_mpiio_ns", "state_mpi_ns",
    "state_io_ns", "wait_mpi_ns", "wait_offcpu_ns", "perf_instructions", "perf_cycles",
)  # fmt: skip
#: And of scope mount: all but errors, which cost no time worth the name.
RUN_MOUNT_METRICS = tuple(name for name in MOUNT_IDS if not name.startswith("error_"))
#: Bins of merged segments that an estimate does not look at, half of all they take.
UNUSED_BINS = ("wait_bins", "offcpu_bins")
_METRICS = {"node_rollup": RUN_METRICS, "rollup": RUN_MOUNT_METRICS}


def own_slices(engine: Engine, job: str, table: str, window: tuple[int, int]) -> pa.Table:
    """Gives the rows of a rollup that are of one job, in time.

    Args:
        engine: Answers questions to the repository.
        job: The job.
        table: rollup (by mount) or node_rollup (by host).
        window: The time in which it ran, ns.

    Returns:
        Keys of the rollup without job, count, and sum, min and max of the metrics above; each slice
        once.
    """
    shape = TABLES[table]
    keys = [name for name in shape.keys if name not in ("job", "count")]
    values = []
    for name in (f"{metric}_{stat}" for metric in _METRICS[table] for stat in STATS):
        stat = name.rpartition("_")[2]
        value = total(name) if stat == "sum" else f"{stat}(coalesce({name}, 0))"
        values.append(f"{value} AS {name}")
    by = ", ".join(keys)
    return engine.ask(
        lambda: (
            f"SELECT {by}, {total('count')} AS count, {', '.join(values)} "
            f"FROM {engine.stored(table, *window)} WHERE job = ? GROUP BY {by} "
            f"ORDER BY slice * slice_ns, {keys[0]}"
        ),
        [job],
    )
