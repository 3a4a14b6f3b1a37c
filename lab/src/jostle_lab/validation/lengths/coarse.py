"""Turns records of short time slices into the records that longer slices would have given.

So the same run is assessed at several slice lengths, and the results are not affected by
differences between runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from jostle.repository import CoreUse, CoRunning, JobFacts

Ints = npt.NDArray[np.int64]
#: Columns of time, and columns that are a state and not an amount.
_TIME = ("slice", "slice_ns", "span", "start_ns", "length_ns")
_STATES = ("cores", "awake", "count")
_FOR_EVER = 2**62


def coarse(alongside: CoRunning, length_ns: int) -> CoRunning:
    """Return the data of a job and its neighbours as longer slices would have recorded them.

    Amounts, and also maxima and minima over processes, are summed over the short slices. The sum of
    maxima or minima is exact for a job with one process, and a bound for others. Of states, such as
    the number of cores, the largest value is taken. Messages between nodes are unchanged.

    Args:
        alongside: Result of Repository.alongside.
        length_ns: New length of slices, a multiple of the length of the job's slices.

    Raises:
        ValueError: The new length is no such multiple.
    """
    lives = {
        name: fact.life
        for name, fact in {alongside.job.job: alongside.job, **alongside.others}.items()
    }
    mine = alongside.job.life

    def longer(table: pa.Table, keys: Sequence[str]) -> pa.Table:
        return coarse_rows(table, keys, length_ns, lives, mine)

    machines, use = alongside.machines, alongside.core_use
    return replace(
        alongside,
        job=_facts(alongside.job, length_ns),
        others={name: _facts(fact, length_ns) for name, fact in alongside.others.items()},
        own_mounts=longer(alongside.own_mounts, ["mount"]),
        own_nodes=longer(alongside.own_nodes, ["host"]),
        mount_loads=longer(alongside.mount_loads, ["job", "mount"]),
        node_loads=longer(alongside.node_loads, ["job", "host"]),
        network_loads=longer(alongside.network_loads, ["job"]),
        machines=replace(
            machines,
            clients=longer(machines.clients, ["mount", "host"]),
            profiled=longer(machines.profiled, ["mount", "host"]),
            servers=longer(machines.servers, ["mount", "host", "kind", "name", "job", "unknown"]),
            disk_users=longer(machines.disk_users, ["mount", "host", "name"]),
        ),
        core_use=CoreUse(
            longer(use.users, ["job", "kind", "host", "cpus", "uid"]), longer(use.totals, ["host"])
        ),
    )


def _facts(fact: JobFacts, length_ns: int) -> JobFacts:
    return replace(fact, slice_ns=length_ns if fact.slice_ns else 0)


def coarse_rows(
    table: pa.Table,
    keys: Sequence[str],
    length_ns: int,
    lives: Mapping[str, tuple[int, int]],
    mine: tuple[int, int],
) -> pa.Table:
    """Return rows of slices as rows of longer slices.

    Args:
        table: Rows with slice and slice_ns, or with start_ns and length_ns, and columns of numbers.
        keys: Columns that, with the slice, identify a row.
        length_ns: New length, in ns.
        lives: Start and end, in ns, of the jobs in column `job`.
        mine: Start and end of the job to which the rows belong if there is no column `job`.

    Returns:
        The same columns, sorted by keys and slice.

    Raises:
        ValueError: The length is no multiple of that of a row's slice.
    """
    if not table.num_rows:
        return table
    start, end = _spans(table, length_ns)
    first = start // length_ns
    span = np.maximum(-(-(end - first * length_ns) // length_ns), 1)
    whole = pa.table({name: table[name] for name in keys}).append_column("slice", pa.array(first))
    values = [name for name in table.column_names if name not in (*keys, *_TIME)]
    for name in values:
        whole = whole.append_column(name, table[name])
    whole = whole.append_column("span", pa.array(span))
    how = [(name, "max" if name in _STATES else "sum") for name in values] + [("span", "max")]
    sums = whole.group_by([*keys, "slice"], use_threads=False).aggregate(how)
    sums = sums.rename_columns([*keys, "slice", *values, "span"])
    sums = sums.sort_by([(name, "ascending") for name in (*keys, "slice")])
    return _with_times(sums, table, length_ns, lives, mine)


def _spans(table: pa.Table, length_ns: int) -> tuple[Ints, Ints]:
    """Return start and end in ns of each row: of its whole slices, or of the recorded time."""
    if "slice" not in table.column_names:
        start = table["start_ns"].to_numpy()
        return start, start + table["length_ns"].to_numpy()
    step = table["slice_ns"].to_numpy()
    if (length_ns % step).any():
        raise ValueError(f"{length_ns} ns is not a multiple of {int(step.max())} ns.")
    span = table["span"].to_numpy() if "span" in table.column_names else 1
    start = table["slice"].to_numpy() * step
    return start, start + span * step


def _with_times(
    sums: pa.Table,
    table: pa.Table,
    length_ns: int,
    lives: Mapping[str, tuple[int, int]],
    mine: tuple[int, int],
) -> pa.Table:
    """Return sums with the columns of a table; the first and last slices are cut to their jobs."""
    first = sums["slice"].to_numpy()
    start, end = first * length_ns, (first + sums["span"].to_numpy()) * length_ns
    jobs = sums["job"].to_pylist() if "job" in sums.column_names else None
    # Rows of other things than jobs, such as load without a profile, are not cut.
    life = [lives.get(job, (0, _FOR_EVER)) for job in jobs] if jobs else [mine] * len(first)
    begin, over = (np.array(side, dtype=np.int64) for side in zip(*life, strict=True))
    over = np.where(over > 0, over, _FOR_EVER)
    cut = np.clip(start, begin, None)
    times = {
        "slice": first,
        "slice_ns": np.full(len(first), length_ns),
        "span": sums["span"].to_numpy(),
        "start_ns": cut,
        "length_ns": np.maximum(np.minimum(end, over) - cut, 1),
    }
    return pa.table(
        {
            field.name: pa.array(times[field.name]).cast(field.type)
            if field.name in times
            else sums[field.name].cast(field.type)
            for field in table.schema
        }
    )
