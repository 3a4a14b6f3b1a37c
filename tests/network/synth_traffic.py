"""Traffic written down by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from jostle.traffic import PAIRS, Traffic

SECOND = 1_000_000_000


def pairs(rows: Iterable[tuple[str, int, str, str, int]], slice_ns: int = SECOND) -> Traffic:
    """Return messages: job, slice, source, target, bytes."""
    return Traffic(
        pairs=pa.Table.from_pylist(
            [{"job": job, "slice": at, "slice_ns": slice_ns, "span": 1, "source": source,
              "target": target, "bytes": moved, "ops": 1, "mount": ""}
             for job, at, source, target, moved in rows],
            PAIRS,
        )
    )  # fmt: skip
