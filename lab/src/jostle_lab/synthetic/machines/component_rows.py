"""Turns the synthetic counters of components into rows of table component_slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.repository.writing import (
    HOUR_NS,
    TABLES,
    PartitionChunk,
    dictionary,
    order,
    split_by_partition,
    without_zeros,
)
from jostle.schema.metrics import COMPONENT_IDS
from jostle_lab.synthetic.machines.counters import Component, Ints


def component_rows(
    every: Sequence[tuple[dict[str, Any], Component]], first: int, count: int, slice_ns: int
) -> Iterator[PartitionChunk]:
    """Return the rows of components in some slices, hour by hour, without rows of only zeros.

    Args:
        every: Row of table components and the counters of each component.
        first: Number of the first slice since the epoch.
        count: Number of slices.
        slice_ns: Length of a slice, in ns.
    """
    used = sorted({name for _, component in every for name in component.values})
    columns = {
        name: np.concatenate(
            [
                np.floor(np.broadcast_to(component.values.get(name, 0.0), count)).astype(np.int64)
                for _, component in every
            ]
        )
        for name in used
    }
    which = np.repeat(np.arange(len(every)), count)
    at = np.tile(first + np.arange(count), len(every))
    hour = at * slice_ns // HOUR_NS
    names = sorted(
        range(len(every)),
        key=lambda k: tuple(every[k][0][key] for key in ("kind", "host", "name", "job")),
    )
    rank = np.argsort(names)
    by = order(hour, rank[which], at)
    by = by[np.any([columns[name][by] for name in used], axis=0)]
    which, at, hour = which[by], at[by], hour[by]
    texts = {
        key: [row[key] for row, _ in every]
        for key in ("kind", "host", "name", "source", "mount", "job")
    }
    table: dict[str, Any] = {key: _texts(values, which) for key, values in texts.items()}
    table |= {
        "slice": at,
        "slice_ns": np.full(len(at), slice_ns),
        "span": np.ones(len(at), dtype=np.int32),
        "machine": np.array([row["machine"] for row, _ in every])[which],
        "component": np.array([row["component"] for row, _ in every])[which],
        "epoch": np.zeros(len(at), dtype=np.int64),
        "unknown": dictionary(np.zeros(len(at), dtype=np.int64), [""]),
        **{name: columns[name][by] for name in used},
    }
    order_of = [
        *TABLES["component_slices"].keys,
        "epoch",
        "unknown",
        *(name for name in COMPONENT_IDS if name in columns),
    ]
    rows = without_zeros("component_slices", pa.table({key: table[key] for key in order_of}))
    start = at * slice_ns
    yield from split_by_partition("component_slices", rows, hour, start, start + slice_ns)


def _texts(values: list[str], which: Ints) -> pa.DictionaryArray:
    distinct = sorted(set(values))
    place = {value: number for number, value in enumerate(distinct)}
    codes = np.array([place[value] for value in values], dtype=np.int64)
    return dictionary(codes[which], distinct)
