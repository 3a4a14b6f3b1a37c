"""What the processes of jobs sent to each other, as the repository hands it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

_NAME = pa.dictionary(pa.int32(), pa.string())
_SLICE = {"slice": pa.int64(), "slice_ns": pa.int64(), "span": pa.int32()}
PAIRS = pa.schema(
    {"job": _NAME, **_SLICE, "source": _NAME, "target": _NAME, "bytes": pa.int64(),
     "ops": pa.int64(), "what": _NAME}
)  # fmt: skip
COLLECTIVES = pa.schema(
    {"job": _NAME, **_SLICE, "group": pa.int64(), "operation": _NAME, "root": pa.int64(),
     "ops": pa.int64(), "bytes": pa.int64()}
)  # fmt: skip
SPREAD = pa.schema(
    {"job": _NAME, **_SLICE, "group": pa.int64(), "host": _NAME, "bytes": pa.int64(),
     "ops": pa.int64()}
)  # fmt: skip


@dataclass(frozen=True)
class Traffic:
    """Traffic of jobs, per slice; slice, slice_ns and span as in table peer_slices.

    Attributes:
        pairs: Between two hosts: job, slice, slice_ns, span, source, target, bytes, ops, what
            ("messages": sent from rank to rank; "files": between a node and a file server; of a
            server or rank whose host is not known the host is "").
        collectives: Collective calls of whole communicators, which `jostle.network` makes pairs
            of: job, slice, slice_ns, span, group, operation (`Allreduce`), root (a place in the
            group; -1: none, or several), ops and bytes (added up over the ranks, as the metrics
            count them).
        spread: MPI traffic whose partners are not known, per host that sent it: job, slice,
            slice_ns, span, group (the job's hosts, each once), host, bytes, ops.
        groups: Per group the hosts of its ranks, in order; "" is a rank whose host is not known.
    """

    pairs: pa.Table = field(default_factory=PAIRS.empty_table)
    collectives: pa.Table = field(default_factory=COLLECTIVES.empty_table)
    spread: pa.Table = field(default_factory=SPREAD.empty_table)
    groups: Sequence[Sequence[str]] = ()
