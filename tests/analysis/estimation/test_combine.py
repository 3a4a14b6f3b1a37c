"""The loss that a run shows and the loss that its neighbours' load explains are combined."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "plot"))  # estimates

import estimates

from jostle.analysis.estimation.model import Cause, Hit, HitPart, RunEstimate
from jostle.analysis.identification.model import JobInterference, ResourceKind, ResourceLoss
from jostle.analysis.interval import Interval
from jostle.report.models.job.lost_time import lost_over_time
from jostle.report.verdict.combine import combine
from jostle.report.verdict.verdict import USUAL, attribution_of, evaluate_job
from jostle.repository import Repository
from jostle_lab.synthetic import Spec, plant

SECOND = 10**9


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)


def _alongside(run: RunEstimate, seconds: Interval) -> JobInterference:
    """A neighbour that cost the run these seconds, all in its slices 2 to 4."""
    who = estimates.alongside(run)
    (loss,), (suspect,) = who.resources, who.suspects
    steps = [run.start_ns + n * SECOND for n in range(10)]
    lost = [seconds.value / 3 if 2 <= n < 5 else 0.0 for n in range(10)]
    loss = replace(loss, seconds=seconds, steps_ns=steps, lost=lost, slices=10)
    return replace(
        who,
        seconds=seconds,
        percent=_times(seconds, 100 / run.run_s),
        resources=[loss],
        suspects=[replace(suspect, seconds=seconds)],
    )


def _sum(run: RunEstimate) -> float:
    return sum(cause.seconds.value for cause in run.causes)


def test_without_segments_the_larger_loss_of_a_resource_counts() -> None:
    run = estimates.ftq()  # lost 0.9 s of 10 s of CPU
    seconds = Interval(2.1, 1.5, 2.7)
    both, who = combine(run, _alongside(run, seconds))
    assert who is not None
    assert both.lost_s.value == pytest.approx(0.9 + 2.1) == _sum(both)
    assert both.percent.value == pytest.approx(30)
    assert [(cause.cause, cause.how) for cause in both.causes] == [
        ("file system", "neighbours"),
        ("cpu", "measured"),
    ]
    assert sum(hit.seconds for hit in both.hits) == pytest.approx(3.0)
    assert both.lost_s.low < 3.0 < both.lost_s.high
    assert attribution_of(both, who).explained_s.value == pytest.approx(2.1)
    assert "shows a loss of 0 s" in both.limits[0]
    # Less than the run shows on the same resource changes nothing but what is explained.
    place = estimates.SHARED
    own = replace(run, causes=[Cause("file system", place, run.lost_s, "measured")])
    same, who = combine(own, _alongside(run, Interval(0.5, 0.3, 0.7)))
    assert who is not None
    assert same == own
    assert attribution_of(same, who).explained_s.value == pytest.approx(0.5)


def test_parts_of_a_mount_are_named_and_replace_what_the_run_shows_of_it_once() -> None:
    run, mount = estimates.ftq(), estimates.SHARED
    shown = Cause("file system", mount, Interval(0.9, 0.5, 1.3), "measured")
    own = replace(run, causes=[shown], hits=[])
    who = _alongside(own, Interval(2.1, 1.5, 2.7))
    (loss,) = who.resources
    parts = [
        replace(
            loss,
            resource=f"{kind} of {mount}",
            kind=kind,
            mount=mount,
            seconds=_times(loss.seconds, part),
            lost=[part * lost for lost in loss.lost],
        )
        for kind, part in (("metadata server", 2 / 3), ("object servers", 1 / 3))
    ]
    both, _ = combine(own, replace(who, resources=parts))
    named = {cause.resource: cause.seconds.value for cause in both.causes}
    assert named == pytest.approx(
        {f"metadata server of {mount}": 1.4, f"object servers of {mount}": 0.7}
    )
    assert {part.resource for hit in both.hits for part in hit.parts} == set(named)
    assert sum(hit.seconds for hit in both.hits) == pytest.approx(2.1) == both.lost_s.value
    assert "shows a loss of 900 ms" in both.limits[0] and "show 2.10 s" in both.limits[0]
    assert len(both.limits) == len(own.limits) + 1


def test_a_hit_of_several_causes_keeps_the_others() -> None:
    place = estimates.SHARED
    run = estimates.ftq()
    begin = run.start_ns + 2 * SECOND
    parts = [HitPart("file system", place, 0.2), HitPart("cpu", "node1", 0.1)]
    run = replace(
        run,
        lost_s=Interval(0.3, 0.1, 0.5),
        hits=[Hit(begin, begin + SECOND, 0.3, "file system", place, -1, parts)],
        causes=[
            Cause("file system", place, Interval(0.2, 0.1, 0.3), "measured"),
            Cause("cpu", "node1", Interval(0.1, 0.0, 0.2), "measured"),
        ],
    )
    both, _ = combine(run, _alongside(run, Interval(1.5, 1.2, 1.8)))
    first = both.hits[0]
    assert [(part.cause, round(part.seconds, 6)) for part in first.parts] == [
        ("file system", 0.5),
        ("cpu", 0.1),
    ]
    painted = lost_over_time(both, np.array([0.0, both.run_s * 1e9]))
    causes = {cause.cause: cause.seconds.value for cause in both.causes}
    assert {name: float(lost[0]) for name, lost in painted.items()} == pytest.approx(causes)


@pytest.mark.parametrize(
    ("seconds", "lost"),
    [
        (Interval(0.2, 0.05, 0.4), 0.0),  # within what the segments leave open
        (Interval(2.0, 1.0, 3.0), 2.0),  # above it
        (Interval(0.29, 0.2, 0.4), 0.2),  # within it, but there was certainly more than shown
    ],
)
def test_segments_give_way_only_to_what_they_exclude(seconds: Interval, lost: float) -> None:
    run = replace(
        estimates.heads(disturbed=False), lost_s=Interval(0.1 * bool(lost == 0), 0, 0.3), causes=[]
    )
    both, who = combine(run, _alongside(run, seconds))
    assert who is not None
    assert both.lost_s.value == pytest.approx(lost or run.lost_s.value)
    assert who.seconds.value <= both.lost_s.value + 1e-9  # nobody took more than there is


def test_no_evidence_and_the_thesis_method_change_nothing() -> None:
    run = estimates.ftq()
    who = _alongside(run, Interval(2.1, 1.5, 2.7))
    nobody = replace(who, suspects=[], seconds=Interval(0.0, 0.0, 2.0))
    assert combine(run, nobody)[0] == run
    assert combine(run, None) == (run, None)
    thesis = replace(run, method="thesis")
    assert combine(thesis, who) == (thesis, who)


def test_a_loss_on_a_node_replaces_what_the_run_shows_of_its_cores() -> None:
    run = estimates.ftq()
    who = _alongside(run, Interval(2.1, 1.5, 2.7))
    node = replace(who.resources[0], resource="node1", kind="node")
    assert isinstance(node, ResourceLoss)
    both, _ = combine(run, replace(who, resources=[node]))
    assert [(cause.cause, cause.resource) for cause in both.causes] == [("cpu", "node1")]
    assert both.lost_s.value == pytest.approx(2.1)


@pytest.mark.in_turn
def test_on_injected_jobs_the_combination_is_nearer_to_the_truth(tmp_path: Path) -> None:
    """The runs alone miss half of the cost of neighbours that never stop."""
    injected = plant(tmp_path / "repository", Spec(jobs=5, slices=300, length=220), seed=7)
    store = Repository(injected.path)
    errors, alone = [], []
    for name, truth in injected.jobs.items():
        for kept, both in ((errors, False), (alone, True)):
            loss = evaluate_job(store, name, USUAL, alone=both).estimate.lost_s.value
            kept.append(abs(loss - truth.lost_s) / truth.run_s)
    assert sum(errors) < 0.7 * sum(alone)


@pytest.mark.parametrize(
    ("kind", "name"), [("gpu", "GPU 0000:3b:00.0 of node1"), ("memory", "memory of node1")]
)
def test_what_segments_cannot_account_for_is_put_where_a_neighbour_explains_it(
    kind: ResourceKind, name: str
) -> None:
    run = estimates.heads()
    assert run.segments.num_rows
    seen_as = ("unknown", "memory or cpu", "network")
    pool = sum(cause.seconds.value for cause in run.causes if cause.cause in seen_as)
    assert pool > 0
    seconds = Interval(0.6 * pool, 0.5 * pool, 0.7 * pool)
    who = _alongside(run, seconds)
    there = replace(who.resources[0], resource=name, kind=kind)
    both, _ = combine(run, replace(who, resources=[there]))
    (cause,) = [cause for cause in both.causes if cause.cause == kind]
    assert (cause.resource, cause.how) == (name, "neighbours")
    assert cause.seconds.value == pytest.approx(0.6 * pool)
    assert both.lost_s == run.lost_s
    assert _sum(both) == pytest.approx(_sum(run))
    assert sum(hit.seconds for hit in both.hits) == pytest.approx(sum(h.seconds for h in run.hits))
    assert f"are attributed to {name}" in both.limits[0]
