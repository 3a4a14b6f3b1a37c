"""The receiver's metrics as OpenMetrics text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from jostle.values.openmetrics import Family, Sample, openmetrics_text

#: All metrics, by name.
FAMILIES = {
    "jostle_receive_posts": Family("counter", "", "Posts that were stored and acknowledged."),
    "jostle_receive_refused": Family("counter", "", "Posts that were refused, by code."),
    "jostle_receive_sent_bytes": Family(
        "counter", "bytes", "Bytes of acknowledged posts, as sent."
    ),
    "jostle_receive_decoded_bytes": Family(
        "counter", "bytes", "Bytes of acknowledged posts, decoded."
    ),
    "jostle_receive_gaps": Family(
        "counter", "", "Gaps: nodes dropped bytes that were never received."
    ),
    "jostle_receive_store_seconds": Family(
        "histogram", "seconds", "From the last byte of a post until it was on the disk."
    ),
    "jostle_receive_queue_bytes": Family(
        "gauge", "bytes", "Bytes of posts that are not stored yet."
    ),
    "jostle_receive_files_open": Family(
        "gauge", "", "Files whose writer still runs, of nodes that have posted since the start."
    ),
    "jostle_receive_mirror_files": Family("gauge", "", "Files in the mirror."),
    "jostle_receive_mirror_bytes": Family("gauge", "bytes", "Bytes in the mirror."),
    "jostle_receive_disk_free_bytes": Family("gauge", "bytes", "Free bytes on the mirror's disk."),
    "jostle_receive_nodes_seen": Family("gauge", "", "Nodes that have posted since the start."),
    "jostle_receive_nodes_silent": Family(
        "gauge", "", "Nodes that have posted since the start, but not for five minutes."
    ),
    "jostle_receive_lag_seconds": Family(
        "gauge", "seconds", "Age of the oldest received bytes that cannot be queried yet."
    ),
    "jostle_receive_ingest_up": Family("gauge", "", "Whether the ingester runs."),
    "jostle_receive_ingested_slices": Family(
        "counter", "", "Process-slices put into the repository."
    ),
}
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass
class Counts:
    """Counts since the start of the receiver.

    Attributes:
        posts: Number of acknowledged POST requests.
        refused: Number of refused requests, by code.
        sent_bytes: Bytes of acknowledged requests.
        decoded_bytes: Decoded bytes of acknowledged requests.
        store_s: Number of acknowledged requests by the time that storing took (index into _BOUNDS).
        store_sum_s: Sum of these times.
    """

    posts: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    sent_bytes: int = 0
    decoded_bytes: int = 0
    store_s: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    store_sum_s: float = 0.0

    def acknowledged(self, sent: int, decoded: int, seconds: float) -> None:
        """Count an acknowledged request."""
        self.posts += 1
        self.sent_bytes += sent
        self.decoded_bytes += decoded
        self.store_s[sum(seconds > bound for bound in _BOUNDS)] += 1
        self.store_sum_s += seconds


def openmetrics(counts: Counts, gauges: dict[str, float]) -> bytes:
    """Write all metrics as OpenMetrics text.

    Args:
        counts: Counts since the start of the receiver.
        gauges: Other metrics by name.
    """
    samples = {name: _samples(name, counts, gauges) for name in FAMILIES}
    return openmetrics_text(FAMILIES, samples)


def _samples(name: str, counts: Counts, gauges: dict[str, float]) -> Iterator[Sample]:
    if name == "jostle_receive_refused":
        for code, number in sorted(counts.refused.items()):
            yield Sample(number, {"code": code}, "_total")
    elif name == "jostle_receive_store_seconds":
        total = 0
        for bound, number in zip((*map(str, _BOUNDS), "+Inf"), counts.store_s, strict=True):
            total += number
            yield Sample(total, {"le": bound}, "_bucket")
        yield Sample(total, suffix="_count")
        yield Sample(counts.store_sum_s, suffix="_sum")
    elif FAMILIES[name].kind == "counter":
        short = name.removeprefix("jostle_receive_")
        yield Sample(gauges[name] if name in gauges else getattr(counts, short), suffix="_total")
    else:
        yield Sample(gauges[name])
