"""Adds up the metrics of a job over its whole time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from jostle.repository.query.engine import Engine, total
from jostle.repository.store.layout import GAUGE_IDS, TABLES, bucket_column
from jostle.schema.metrics import HIST_BUCKETS, HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.values.arrow_columns import ints_or_zeros

_METRICS = {"slices": PROCESS_IDS, "mount_slices": MOUNT_IDS}


def job_sums(engine: Engine, table: str, keys: Sequence[str], job: str) -> pa.Table:
    """Return sums of all metrics, and the highest level of gauges, of one job.

    DuckDB adds up only the columns that the files have: a query that names the columns of all
    metrics costs ten times as much.

    Args:
        engine: The query engine.
        table: Name of the table: slices or mount_slices.
        keys: Columns of the table; a row per combination of their values.
        job: Name of the job.
    """
    lo, hi = engine.window(job)
    values = TABLES[table].values
    levels = [name for name in values if name in GAUGE_IDS]
    sums = [name for name in values if name not in GAUGE_IDS]
    there = ["job", *keys, sums[0], *levels[:1]]  # COLUMNS must match at least one column
    summed = [total(_columns(sums)), *([f"max({_columns(levels)})"] if levels else [])]
    by = ", ".join(keys)
    rows = engine.ask(
        lambda: (
            f"SELECT {by}, {', '.join(summed)} "
            f"FROM {engine.stored(table, lo, hi, columns=there)} WHERE job = ? "
            f"GROUP BY {by} ORDER BY {by}"
        ),
        [job],
    )
    columns = {name: rows[name] for name in keys}
    return pa.table(columns | {name: _column(rows, name) for name in _METRICS[table]})


def _columns(names: Sequence[str]) -> str:
    """Return SQL for those of some columns that exist."""
    return f"COLUMNS('^({'|'.join(names)})$')"


def _column(rows: pa.Table, metric: str) -> pa.Array:
    """Return a metric, 0 if no file has it; a histogram as lists of its buckets."""
    if metric not in HISTOGRAM_IDS:
        return pa.array(ints_or_zeros(rows, metric))
    names = [bucket_column(metric, bucket) for bucket in range(HIST_BUCKETS)]
    counts = np.stack([ints_or_zeros(rows, name) for name in names], axis=1)
    return pa.FixedSizeListArray.from_arrays(pa.array(counts.ravel()), HIST_BUCKETS)
