"""Estimates with known figures, for the tests of `estimate` and `compare`.

heads     8 ranks, 60 s, 31 % lost to a file system and a little to the network; 4 kinds of segments
clean     the same, undisturbed
ftq       a job without MPI: hits by slices, no clusters
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.model import (
    Cause,
    Cluster,
    ClusterDifference,
    Comparison,
    Continuous,
    Hit,
    RunEstimate,
)
from jostle.analysis.identification.model import (
    DisturbedSlice,
    JobInterference,
    ResourceLoss,
    Suspect,
)
from jostle.analysis.interval import Interval

EPOCH = 1_700_000_000_000_000_000
SHARED = "sshfs:storage.lab:/"
#: name, undisturbed length (ms), work, how often; one of 50 is of the rare kind.
_KINDS = (
    ("MPI_Allreduce", 20.0, 1.9e6, 10),
    ("MPI_Allreduce", 55.0, 5.6e6, 8),
    ("MPI_Alltoall", 140.0, 1.3e7, 4),
    ("MPI_Barrier", 900.0, 6.0e7, 1),
)


def heads(*, disturbed: bool = True, seed: int = 1, job: str = "heads") -> RunEstimate:
    """A run of four kinds of segments, of which some are hit in two spans of the run."""
    random = np.random.default_rng(seed)
    pattern = [kind for kind, (*_, often) in enumerate(_KINDS) for _ in range(often)]
    kinds = np.array((pattern * 40)[:700])
    usual = np.array([_KINDS[kind][1] for kind in kinds]) * 1e6
    base = usual * random.normal(1.0, 0.006, len(kinds))
    work = np.array([_KINDS[kind][2] for kind in kinds]) * random.normal(1, 0.003, len(kinds))
    # The set-up: one segment of its own, with much more work than any other.
    base, work, kinds = np.r_[2.2e9, base], np.r_[8.5e8, work], np.r_[-1, kinds]
    place = np.arange(len(base)) / len(base)
    hit = ((place > 0.25) & (place < 0.4)) | ((place > 0.7) & (place < 0.85))
    slow = random.gamma(2.0, 0.55, len(base)) * hit if disturbed else np.zeros(len(base))
    length = base * (1 + slow)
    ends = EPOCH + np.cumsum(length).astype(np.int64)
    starts = np.r_[EPOCH, ends[:-1]]
    rows = [(own, np.flatnonzero(kinds == own)) for own in range(4)]
    clusters, threshold, excess = [], np.full(len(base), np.nan), np.zeros(len(base))
    for own, at in rows:
        median = float(np.median(length[at]))
        mad = float(np.median(np.abs(length[at] - median)))
        threshold[at] = median + 4 * mad
        excess[at] = np.maximum(length[at] - threshold[at], 0)
        clusters.append(
            Cluster(
                own + 1,
                _KINDS[own][0],
                len(at),
                median / 1e9,
                mad / 1e9,
                (median + 4 * mad) / 1e9,
                int((excess[at] > 0).sum()),
                float(excess[at].sum() / 1e9),
                float(length[at].sum() / 1e9),
                True,
            )
        )
    clusters.append(Cluster(5, "MPI_Barrier", 1, 2.2, 0.0, 2.2, 0, 0.0, 2.2, False))
    number = np.where(kinds < 0, 5, kinds + 1)
    run_s = float(ends[-1] - EPOCH) / 1e9
    lost = float(excess.sum() / 1e9)
    network = 0.1 * lost
    hits = [
        Hit(
            int(starts[at]),
            int(ends[at]),
            float(excess[at] / 1e9),
            "network" if at % 7 == 0 else "file system",
            "MPI" if at % 7 == 0 else SHARED,
            int(number[at]),
        )
        for at in np.flatnonzero(excess > 0)
    ]
    return RunEstimate(
        job=job,
        method="jostle",
        world=0,
        ranks=8,
        start_ns=EPOCH,
        end_ns=int(ends[-1]),
        run_s=run_s,
        lost_s=_within(lost, 0.1),
        percent=_within(100 * lost / run_s, 0.1),
        coverage=0.96,
        inferred_coverage=0.94,
        causes=[
            Cause("file system", SHARED, _within(lost - network, 0.1), "measured"),
            Cause("network", "MPI", _within(network, 0.4), "inferred"),
        ]
        if lost
        else [],
        continuous=Continuous(
            Interval(4.0, 1.0, 9.0),
            "Calls on the file system took longer than in the first tenth of the run.",
        )
        if disturbed
        else None,
        imbalance_s=1.2,
        clusters=clusters,
        hits=hits,
        limits=["Ranks 6 and 7 have no profile."] if disturbed else [],
        segments=pa.table(
            {
                "start_ns": starts,
                "end_ns": ends,
                "duration_ns": ends - starts,
                "work": work,
                "cluster": number,
                "threshold_ns": threshold,
                "excess_ns": excess.astype(np.int64),
            }
        ),
    )


def ftq() -> RunEstimate:
    """A job without MPI that lost a little CPU time."""
    hits = [
        Hit(EPOCH + i * 10**9, EPOCH + (i + 1) * 10**9, 0.3, "cpu", "node1", -1) for i in (3, 4, 9)
    ]
    empty = pa.table({name: pa.array([], pa.float64()) for name in heads().segments.column_names})
    return RunEstimate(
        job="ftq",
        method="jostle",
        world=-1,
        ranks=1,
        start_ns=EPOCH,
        end_ns=EPOCH + 10**10,
        run_s=10.0,
        lost_s=Interval(0.9, 0.4, 1.8),
        percent=Interval(9.0, 4.0, 18.0),
        coverage=0.81,
        inferred_coverage=None,
        causes=[Cause("cpu", "node1", Interval(0.9, 0.4, 1.8), "measured")],
        continuous=None,
        imbalance_s=None,
        clusters=[],
        hits=hits,
        limits=["Not an MPI program: assessed by its slices."],
        segments=empty,
    )


def alongside(made: RunEstimate, part: float = 0.25) -> JobInterference:
    """The suspect: a job that wrote in some of the two spans, and caused a part of the loss."""
    lost, percent = (
        Interval(part * one.value, part * one.low, part * one.high)
        for one in (made.lost_s, made.percent)
    )
    second = 10**9
    disturbed = [
        DisturbedSlice(EPOCH + n * second, second, SHARED, 0.6, "writer")
        for n in (*range(12, 20), *range(33, 42))
    ]
    loss = ResourceLoss(
        SHARED, "file system", lost, 60, 20.0, 1.9, True, 0.4, "", [], second, [], [], [], "bytes"
    )
    suspect = Suspect(
        "writer",
        "dd",
        0,
        SHARED,
        1.0,
        lost,
        17,
        0.81,
        0.001,
        0.002,
        0.0,
        "aggregate-write, chunk 1 MiB",
    )
    return JobInterference(
        made.job,
        EPOCH,
        made.run_s,
        lost,
        percent,
        [loss],
        [suspect],
        {"idler": "no load on anything that was slow"},
        disturbed,
        2,
        0.4,
        [],
    )


def two_runs() -> Comparison:
    """The disturbed run and a clean one of the same program."""
    runs = [heads(job="heads-1"), heads(disturbed=False, seed=2, job="heads-2")]
    longer = runs[0].run_s - runs[1].run_s
    estimated = runs[0].lost_s.value - runs[1].lost_s.value
    rows = [
        ClusterDifference(
            one.name,
            [one.members, two.members],
            [one.reference_s, two.reference_s],
            [one.excess_s, two.excess_s],
            [one.total_s, two.total_s],
            [one.number, two.number],
        )
        for one, two in zip(runs[0].clusters, runs[1].clusters, strict=True)
    ]
    return Comparison(
        runs,
        1,
        [longer, 0.0],
        [estimated, 0.0],
        [0.3, 0.0],
        [0.0, 0.0],
        [longer - estimated - 0.3, 0.0],
        {"file system": [0.9 * estimated, 0.0], "network": [0.1 * estimated, 0.0]},
        sorted(rows, key=lambda row: row.excess_s[1] - row.excess_s[0]),
    )


def _within(value: float, part: float) -> Interval:
    return Interval(value, value * (1 - part), value * (1 + part))


def plain(made: RunEstimate, **changes: object) -> RunEstimate:
    """The same estimate with other figures."""
    return replace(made, **changes)  # type: ignore[arg-type]
