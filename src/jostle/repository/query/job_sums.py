"""Adds up the metrics of a job over its whole time."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.repository.query.engine import Engine, total, visible
from jostle.repository.store.layout import GAUGE_IDS, TABLES


def job_sums(engine: Engine, table: str, keys: Sequence[str], job: str) -> pa.Table:
    """Return sums of all metrics, and the highest level of gauges, of one job.

    Args:
        engine: Answers questions to the repository.
        table: slices or mount_slices.
        keys: Columns of the table; a row per value of these.
        job: The job.
    """
    lo, hi = engine.window(job)
    sums = [f"max({name})" if name in GAUGE_IDS else total(name) for name in TABLES[table].values]
    summed = ", ".join(
        f"{value} AS {name}" for value, name in zip(sums, TABLES[table].values, strict=True)
    )
    by = ", ".join(keys)
    return engine.ask(
        lambda: (
            f"SELECT {by}, {', '.join(visible(table))} FROM (SELECT {by}, {summed} "
            f"FROM {engine.stored(table, lo, hi)} WHERE job = ? GROUP BY {by}) "
            f"ORDER BY {by}"
        ),
        [job],
    )
