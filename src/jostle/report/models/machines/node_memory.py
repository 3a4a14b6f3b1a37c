"""Speed of a node's memory for each job on the node, and the job's load, for API and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.values.memory_probe import bandwidth, latency_ns
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.repository import Repository

#: Most jobs of a node that are listed: those that computed most.
_MOST = 20
_LINE = 64  # bytes that a cache miss moves
_SLOWEST = 0.95  # quantile of the slices

_ROWS = """
WITH slices AS (
    SELECT job, slice * slice_ns AS start_ns, slice_ns,
           sum(coalesce(os_user_ns_sum, 0)::HUGEINT + coalesce(os_system_ns_sum, 0)) AS cpu_ns,
           sum(coalesce(memory_latency_ns_sum, 0)) AS latency_ns,
           sum(coalesce(memory_stream_ns_sum, 0)) AS stream_ns,
           sum(coalesce(memory_probe_count_sum, 0)) AS probes,
           sum(coalesce(perf_llc_misses_sum, 0)) AS misses
    FROM node_rollup
    WHERE host = $1 AND (slice + 1) * slice_ns > $2 AND slice * slice_ns < $3
    GROUP BY job, slice, slice_ns
)
SELECT job, sum(cpu_ns)::DOUBLE AS cpu_ns, sum(slice_ns)::DOUBLE AS lived_ns,
       sum(latency_ns)::DOUBLE AS latency_ns, sum(stream_ns)::DOUBLE AS stream_ns,
       sum(probes)::DOUBLE AS probes, sum(misses)::DOUBLE AS misses,
       coalesce(quantile_cont(latency_ns / nullif(probes, 0), $4), 0)::DOUBLE AS slowest_ns,
       coalesce(quantile_cont(latency_ns / nullif(probes, 0), 0.5), 0)::DOUBLE AS usual_ns
FROM slices GROUP BY job HAVING sum(cpu_ns) > 0 ORDER BY cpu_ns DESC, job LIMIT $5
"""


@dataclass(frozen=True)
class NodeMemory:
    """Load of a job on a node, and the speed of the node's memory for it.

    Attributes:
        job: The job.
        cores: Number of cores that the job kept busy, mean over its slices.
        latency_ns: Mean time of one read of main memory, in nanoseconds; None: no memory probe ran.
        slower: Time of a read that a twentieth of the slices reach or exceed, as a multiple of the
            median over slices; None: no memory probe ran.
        bandwidth: Bandwidth of one thread, in bytes per second; None: no memory probe ran.
        missed: Bytes per second that cache misses of the job moved; None: not counted.
    """

    job: str
    cores: float
    latency_ns: float | None
    slower: float | None
    bandwidth: float | None
    missed: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def node_memory(store: Repository, host: str, span: tuple[int, int]) -> list[NodeMemory]:
    """Return the speed of a node's memory for its jobs, those with most CPU time first.

    Args:
        store: The repository.
        host: The node.
        span: Start and end, ns since the epoch.
    """
    rows = store.query(_ROWS, [host, *span, _SLOWEST, _MOST]).to_pylist()
    found = []
    for row in rows:
        probes, usual = row["probes"], row["usual_ns"]
        found.append(
            NodeMemory(
                row["job"],
                row["cpu_ns"] / max(row["lived_ns"], 1),
                latency_ns(row["latency_ns"], probes) if probes > 0 else None,
                row["slowest_ns"] / usual if probes > 0 and usual > 0 else None,
                bandwidth(row["stream_ns"], probes) if probes > 0 else None,
                1e9 * _LINE * row["misses"] / max(row["lived_ns"], 1) if row["misses"] else None,
            )
        )
    return found
