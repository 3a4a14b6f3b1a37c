"""The execution segments of an estimate as arrays, for plots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Cluster, RunEstimate

Floats = NDArray[np.float64]
#: Most points of a figure: of the others a regular sample is drawn.
_MOST_POINTS = 20_000
#: Least loss of a hit in method jostle, as a share of a segment: nearly all segments wait a little.
_LEAST_LOSS = 0.05
#: Smaller clusters are noise (Shah, 2020, section 5.1.1).
LEAST_MEMBERS = 5


@dataclass(frozen=True)
class DrawnSegments:
    """Estimated segments in the order of time; all arrays have one value per segment.

    Attributes:
        start: Start of the segment, s since the start of the run.
        seconds: Duration, in seconds.
        work: Amount of computation, by which segments are clustered; NaN: not known.
        cluster: Number of the segment's cluster; 0: it is in no cluster.
        threshold: Duration above which the segment counts as interfered, s; NaN: no threshold.
        excess: Seconds lost in the segment.
        least: Least share of a segment's duration that must be lost for the segment to be a hit.
    """

    start: Floats
    seconds: Floats
    work: Floats
    cluster: NDArray[np.int64]
    threshold: Floats
    excess: Floats
    least: float = 0.0

    @classmethod
    def of(cls, estimate: RunEstimate) -> DrawnSegments:
        """Return the segments of an estimate as arrays."""
        table = estimate.segments
        # Instants since the epoch have more digits than a float.
        start = table.column("start_ns").to_numpy(zero_copy_only=False).astype(np.int64)
        cluster = np.nan_to_num(_floats(table, "cluster"), nan=0.0).astype(np.int64)
        return cls(
            (start - estimate.start_ns) / 1e9,
            _floats(table, "duration_ns", 0.0) / 1e9,
            _floats(table, "work"),
            np.maximum(cluster, 0),
            _floats(table, "threshold_ns") / 1e9,
            _floats(table, "excess_ns", 0.0) / 1e9,
            0.0 if estimate.method == "thesis" else _LEAST_LOSS,
        )

    @property
    def arrays(self) -> list[str]:
        """Names of the arrays."""
        return [name for name in self.__dataclass_fields__ if name != "least"]

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.start)

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Whether each segment is a hit, that is, slowed by interference."""
        made: NDArray[np.bool_] = self.excess > self.least * self.seconds
        return made

    def only(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> DrawnSegments:
        """Return the selected segments."""
        return replace(self, **{name: getattr(self, name)[which] for name in self.arrays})

    def thinned(self) -> DrawnSegments:
        """Return a subset that can be drawn: the longest losses, and a sample of the others."""
        if len(self) <= _MOST_POINTS:
            return self
        worst = np.argsort(-self.excess, kind="stable")[: _MOST_POINTS // 2]
        even = np.arange(0, len(self), -(-2 * len(self) // _MOST_POINTS))
        return self.only(np.union1d(worst[self.hit[worst]], even))


def _floats(table: pa.Table, name: str, missing: float = np.nan) -> Floats:
    """Return a column as numbers, with `missing` for nulls."""
    column = table.column(name).cast(pa.float64())
    values: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64, copy=True)
    if missing == missing:  # nulls are NaN already
        np.nan_to_num(values, copy=False, nan=missing)
    return values


def large_clusters(estimate: RunEstimate, most: int) -> list[Cluster]:
    """Return the clusters that plots show one by one, in order of their numbers.

    Args:
        estimate: The estimate.
        most: Largest number of clusters; the clusters with most time in total are chosen.
    """
    clusters = [cluster for cluster in estimate.clusters if cluster.members >= LEAST_MEMBERS]
    longest = sorted(clusters, key=lambda cluster: -cluster.total_s)[:most]
    return sorted(longest, key=lambda cluster: cluster.number)


def in_small_clusters(estimate: RunEstimate, segments: DrawnSegments) -> DrawnSegments:
    """Return the segments of clusters that are usable, but have too few segments to be shown."""
    small = [
        cluster.number
        for cluster in estimate.clusters
        if cluster.usable and cluster.members < LEAST_MEMBERS
    ]
    return segments.only(np.isin(segments.cluster, small))
