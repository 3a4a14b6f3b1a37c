"""Properties that hold for every estimate, by either method, of any run."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pyarrow as pa
import pytest
from few_segments import START_NS, run_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jostle.analysis import estimate
from jostle.errors import JostleError
from jostle.repository.types import RunTables

METHODS = ("jostle", "thesis")
few = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
durations = st.lists(
    st.one_of(st.floats(0.05, 0.06), st.floats(0.1, 0.12), st.floats(0.05, 3.0)),
    min_size=6,
    max_size=40,
)
both = pytest.mark.parametrize("method", METHODS)


def percent_of(run, method, **more):
    return estimate(run, method=method, **more).percent.value


def sane(found):
    """Checks the properties of every estimate."""
    for figure in (found.lost_s, found.percent):
        assert 0 <= figure.low <= figure.value <= figure.high
    assert found.percent.value <= 100 + 1e-9 and math.isfinite(found.percent.high)
    assert 0 <= found.coverage <= 1
    assert sum(c.seconds.value for c in found.causes) == pytest.approx(found.lost_s.value, abs=1e-6)
    assert all(hit.start_ns <= hit.end_ns and hit.seconds >= 0 for hit in found.hits)
    assert found.limits is not None
    return found


@both
@few
@given(durations, st.integers(2, 5), st.randoms(use_true_random=False))
def test_the_order_of_ranks_does_not_matter(method, lengths, ranks, random):
    count = len(lengths)
    own = {
        "mpi_ns": [[random.randrange(10**7) for _ in range(count)] for _ in range(ranks)],
        "wait_ns": [[random.randrange(10**7) for _ in range(count)] for _ in range(ranks)],
    }
    ids = list(range(1, ranks + 1))
    one = estimate(run_of(lengths, ranks=ranks, per_rank=own), method=method)
    random.shuffle(ids)
    places = sorted(range(ranks), key=ids.__getitem__)
    moved = {name: [rows[place] for place in places] for name, rows in own.items()}
    other = estimate(run_of(lengths, ranks=ranks, per_rank=moved, order=ids), method=method)
    assert other.percent.value == pytest.approx(one.percent.value, abs=1e-9)


@both
@few
@given(durations, st.integers(-(10**9), 10**9))
def test_the_time_of_day_does_not_matter(method, lengths, bins):
    one = estimate(run_of(lengths), method=method)
    other = estimate(run_of(lengths, start_ns=START_NS + bins * 10_000_000), method=method)
    assert other.percent.value == pytest.approx(one.percent.value, abs=1e-9)
    assert other.start_ns - one.start_ns == bins * 10_000_000


@both
@few
@given(st.floats(0.1, 2.0), st.integers(8, 60), st.sampled_from(["flops", "instructions", ""]))
def test_identical_segments_lost_nothing(method, length, count, counter):
    values = {counter: [1000] * count} if counter else {}
    found = estimate(run_of([length] * count, values), method=method)
    assert found.percent.value == pytest.approx(0, abs=1e-6)
    assert found.light == "green"


@both
@few
@given(st.integers(0, 29), st.floats(0.05, 2.0), st.floats(0.01, 2.0))
def test_an_interfered_segment_that_grows_costs_more(method, place, struck, grows):
    """Only what is already interfered: elsewhere a longer one may move the reference (vector 4)."""
    lengths = [0.1 + 0.0001 * (k % 3) for k in range(30)]
    lengths[place] = 0.2 + struck
    before = percent_of(run_of(lengths, {"flops": [1000] * 30}), method)
    lengths[place] += grows
    assert percent_of(run_of(lengths, {"flops": [1000] * 30}), method) > before > 0


@both
@few
@given(durations)
def test_it_is_the_same_each_time_it_is_asked(method, lengths):
    run = run_of(lengths)
    one, other = (estimate(run, method=method, seed=4).to_json() for _ in range(2))
    assert one == other


# Hostile input: an answer with its limits, or a refusal that says what to do

counts = st.integers(0, 2**53)


def hostile(draw) -> RunTables:
    count = draw(st.integers(0, 12))
    ranks = draw(st.integers(1, 4))
    lengths = [
        draw(st.one_of(st.floats(0, 1e-6), st.floats(0, 5), st.just(1e6))) for _ in range(count)
    ]
    names = draw(
        st.lists(
            st.sampled_from(
                [
                    "flops",
                    "instructions",
                    "cpu_ns",
                    "mpi_ns",
                    "io_ns",
                    "wait_ns",
                    "offcpu_ns",
                    "p2p_bytes",
                    "reads",
                ]
            ),
            unique=True,
            max_size=5,
        )
    )
    values = {name: draw(st.lists(counts, min_size=count, max_size=count)) for name in names}
    run = run_of(lengths, values, ranks=ranks)
    (world,) = run.worlds
    if draw(st.booleans()) and count:  # a rank's clock was an hour ahead
        late = world.segments["duration_max_ns"].to_numpy() + 3600 * 10**9
        at = world.segments.column_names.index("duration_max_ns")
        segments = world.segments.set_column(at, "duration_max_ns", pa.array(late))
        world = dataclasses.replace(world, segments=segments)
    if draw(st.booleans()):  # some left no profile
        world = dataclasses.replace(
            world,
            missing=[1, 2],
            world_size=ranks + 2,
            notes=["2 ranks (1, 2) of 4 left no profile."],
        )
    if draw(st.booleans()) and count > 2:  # a gap
        kept = np.arange(count) != count // 2
        world = dataclasses.replace(world, segments=world.segments.filter(pa.array(kept)))
    return dataclasses.replace(run, worlds=(world,))


def answer(run, method):
    """Gives the estimate, or else the refusal."""
    try:
        return sane(estimate(run, method=method)), None
    except JostleError as refusal:
        return None, refusal


@both
@few
@given(st.data())
def test_whatever_comes_is_answered_or_refused(method, data):
    found, refusal = answer(hostile(data.draw), method)
    assert found is not None or refusal.hint


@both
def test_a_job_without_anything(method):
    run = dataclasses.replace(run_of([]), worlds=())
    none = dataclasses.replace(run, processes=run.processes.slice(0, 0))
    for job in (run, none):
        found, refusal = answer(job, method)
        assert refusal.hint if found is None else found.coverage == 0 and found.limits


@both
def test_missing_ranks_are_reported(method):
    run = run_of([0.1] * 20)
    (world,) = run.worlds
    world = dataclasses.replace(
        world, missing=[2, 3], world_size=4, notes=["2 ranks (2, 3) of 4 left no profile."]
    )
    found = estimate(dataclasses.replace(run, worlds=(world,)), method=method)
    assert any("left no profile" in limit for limit in found.limits)
