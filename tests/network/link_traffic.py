"""Traffic of links, written by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from jostle.values.traffic import COLLECTIVES, PAIRS, SPREAD, Traffic

SECOND = 1_000_000_000


def pairs(rows: Iterable[tuple[str, int, str, str, int]], slice_ns: int = SECOND) -> Traffic:
    """Return messages: job, slice, source, target, bytes."""
    return Traffic(
        pairs=pa.Table.from_pylist(
            [
                {
                    "job": job,
                    "slice": at,
                    "slice_ns": slice_ns,
                    "span": 1,
                    "source": source,
                    "target": target,
                    "bytes": moved,
                    "ops": 1,
                    "mount": "",
                }
                for job, at, source, target, moved in rows
            ],
            PAIRS,
        )
    )


def ports(rows: Iterable[tuple[str, str, int, int, int, int]]) -> pa.Table:
    """Return what ports counted: host, name, slice, sent, received, ticks of waiting."""
    return pa.Table.from_pylist(
        [
            {
                "host": host,
                "name": name,
                "slice": at,
                "slice_ns": SECOND,
                "span": 1,
                "sent": sent,
                "received": received,
                "wait_ticks": ticks,
            }
            for host, name, at, sent, received, ticks in rows
        ],
        pa.schema(
            {
                "host": pa.string(),
                "name": pa.string(),
                **dict.fromkeys(
                    ("slice", "slice_ns", "span", "sent", "received", "wait_ticks"), pa.int64()
                ),
            }
        ),
    )


def whole(
    collectives: Iterable[tuple[str, int, int, str, int, int, int]] = (),
    spread: Iterable[tuple[str, int, int, str, int]] = (),
    groups: Iterable[Iterable[str]] = (),
) -> Traffic:
    """Return traffic between groups.

    Args:
        collectives: job, slice, group, operation, root, ops, bytes.
        spread: job, slice, group, host, bytes.
        groups: Hosts of the ranks of each group.
    """
    rows = [
        {
            "job": job,
            "slice": at,
            "slice_ns": SECOND,
            "span": 1,
            "group": group,
            "operation": operation,
            "root": root,
            "ops": ops,
            "bytes": moved,
        }
        for job, at, group, operation, root, ops, moved in collectives
    ]
    others = [
        {
            "job": job,
            "slice": at,
            "slice_ns": SECOND,
            "span": 1,
            "group": group,
            "host": host,
            "bytes": moved,
            "ops": 1,
        }
        for job, at, group, host, moved in spread
    ]
    return Traffic(
        collectives=pa.Table.from_pylist(rows, COLLECTIVES),
        spread=pa.Table.from_pylist(others, SPREAD),
        groups=[tuple(group) for group in groups],
    )
