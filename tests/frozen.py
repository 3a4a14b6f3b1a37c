"""What the frozen example files hold, in one dictionary."""

from __future__ import annotations

from jostle._schema import HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.reader import Decoded


def totals(decoded: Decoded) -> dict[str, object]:
    """What a reader must find in a frozen file, summed; gauges as the last level."""
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
    return out
