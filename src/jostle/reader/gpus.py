"""Converts tables of the C decoder into the table of GPU slices."""

from __future__ import annotations

import pyarrow as pa

from jostle.reader.columns import columns
from jostle.reader.native import GPU_SLICES, DecoderBatch

#: Counters of a GPU, in the order of a profile; the metric of a process is its sum over GPUs.
GPU_VALUES = (
    *(
        f"gpu_{kind}_{what}"
        for kind in ("h2d", "d2h", "d2d", "peer", "set")
        for what in ("ops", "bytes", "ns")
    ),
    "gpu_launch_ops",
    "gpu_graph_ops",
    "gpu_lost_ops",
    "gpu_busy_ns",
)

_KINDS = {
    "process": pa.int32(),
    "slice": pa.int64(),
    "span": pa.int32(),
    "place": pa.int64(),
    **dict.fromkeys(GPU_VALUES, pa.int64()),
}


def gpu_slices(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.gpu_slices."""
    return pa.table(columns(batch, GPU_SLICES, _KINDS))
