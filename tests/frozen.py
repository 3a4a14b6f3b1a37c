"""The content of the frozen example files, in one dictionary."""

from __future__ import annotations

from jostle.reader import SEGMENT_VALUES, Decoded, SegmentResult
from jostle.schema.metrics import HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS


def totals(decoded: Decoded) -> dict[str, object]:
    """The expected content of a frozen file: sums of counters, last levels of gauges."""
    out: dict[str, object] = {
        "slices": decoded.slices["slice"].to_pylist(),
        "spans": decoded.slices["span"].to_pylist(),
        "short_processes": [p.program for p in decoded.short_processes],
    }
    for name in PROCESS_IDS:
        column = decoded.slices[name].to_pylist()
        if name in HISTOGRAM_IDS:
            rows = [row for row in column if row is not None]
            out[name] = [sum(bucket) for bucket in zip(*rows, strict=True)]
        elif name in ("os_rss_bytes", "os_threads"):
            out[name] = column[-1]
        else:
            out[name] = sum(column)
    for name in MOUNT_IDS:
        out[name] = sum(decoded.mount_slices[name].to_pylist())
    for name in ("peer_slices", "collective_slices", "communicators"):
        table = getattr(decoded, name)
        if table.num_rows:
            out[name] = table.drop_columns(["process"]).to_pylist()
    return out


def segment_totals(result: SegmentResult) -> dict[str, object]:
    """The expected segments of a frozen file: sums, and values that depend on the order."""
    s = result.segments
    columns = (*SEGMENT_VALUES, "globals", "globals_before", "signature_sum", "signature_set")
    out: dict[str, object] = {f"segment_{name}": sum(s[name].to_pylist()) for name in columns}
    for name in ("start_ns", "end_ns", "rule", "level", "token_hash", "sequence_hash"):
        out[f"segment_{name}"] = s[name].to_pylist()
    for name in ("wait_bins", "offcpu_bins"):
        out[f"segment_{name}"] = b"".join(s[name].to_pylist()).hex()
    out["tokens"] = result.tokens.drop_columns(["process"]).to_pylist()
    out["peers"] = result.peers.drop_columns(["process"]).to_pylist()
    return out
