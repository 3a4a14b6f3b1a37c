"""Method thesis as a whole: its work counter, how segments are covered, what it refuses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from few_segments import START_NS, run_of

from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.thesis import estimate_thesis
from jostle_lab.synthetic.traces import (
    Call,
    Disturbance,
    ProgramLoop,
    ReplayProgram,
    TraceSpec,
    trace,
)


def test_two_kinds_of_work_are_assessed_apart():
    """Half the segments do twice the work: without clusters these would be outliers."""
    durations = [1.0, 2.0] * 10 + [1.0, 3.0]
    work = [100, 200] * 11
    found = estimate_thesis(run_of(durations, {"flops": work}))
    assert [c.members for c in found.clusters] == [11, 11]
    assert [c.hit for c in found.clusters] == [0, 1]
    assert found.lost_s.value == pytest.approx(1.0)
    assert [(h.seconds, h.cluster) for h in found.hits] == [(pytest.approx(1.0), 2)]
    assert found.causes[0].cause == "unknown"


def test_the_best_counter_measures_the_work():
    durations = [1.0] * 6
    counters = {"instructions": [100] * 3 + [900] * 3, "flops": [7] * 6}
    assert len(estimate_thesis(run_of(durations, counters)).clusters) == 1
    del counters["flops"]
    assert len(estimate_thesis(run_of(durations, counters)).clusters) == 2
    without = estimate_thesis(run_of(durations, {}))
    assert any("CPU time outside MPI" in limit for limit in without.limits)
    assert not any("CPU time" in x for x in estimate_thesis(run_of(durations, counters)).limits)


def test_without_a_counter_time_in_calls_is_no_work():
    """A delay in a call: the CPU time outside is as usual, and the segment is longer."""
    durations = [1.0] * 9 + [4.0]
    mpi = [int(1e8)] * 9 + [int(31e8)]
    found = estimate_thesis(run_of(durations, {"mpi_ns": mpi}))
    assert found.lost_s.value == pytest.approx(3.0)


def test_small_clusters_give_nothing_and_are_not_covered():
    durations = [1.0] * 8 + [5.0] * 4
    found = estimate_thesis(run_of(durations, {"flops": [100] * 8 + [1000] * 4}))
    assert found.coverage == pytest.approx(8 / 28)
    assert found.inferred_coverage == pytest.approx(7 / 27)
    assert any("clusters of fewer than" in limit for limit in found.limits)
    assert found.segments["cluster"].to_pylist() == [1] * 8 + [0] * 4


def test_alternating_bytes_need_another_rule():
    """Bytes that differ each time make each segment a group of its own: coverage 0."""
    durations = [1.0] * 10 + [2.0]
    values = {"flops": [100] * 11, "p2p_bytes": list(range(11))}
    exact = estimate_thesis(run_of(durations, values), bytes_rule="exact")
    assert (exact.coverage, exact.percent.value) == (0, 0)
    assert any("--bytes" in limit for limit in exact.limits)
    ignored = estimate_thesis(run_of(durations, values), bytes_rule="ignore")
    assert ignored.lost_s.value == pytest.approx(1.0)


def test_raw_segments_are_each_an_all_to_all():
    """The thesis' own kind of run: a segment per collective, instructions counted, rare delays."""
    program = ReplayProgram(
        (ProgramLoop(10.0, (Call("MPI_Allreduce", "global", 0.02, 20e-6, 64),)),),
        ranks=4,
        counter="instructions",
        raw=True,
    )
    spec = TraceSpec("raw", program, (Disturbance("network", "call", 0.2),), least=10, most=25)
    errors = []
    for seed in (1, 2, 4):
        tables, truth = trace(spec, seed)
        (world,) = tables.worlds
        assert world.segments.num_rows == 500 and set(world.rules) == {"raw", "final"}
        found = estimate_thesis(tables)
        assert found.coverage > 0.99
        errors.append(abs(found.percent.value - truth.percent))
    assert max(errors) < 1.0


# What it refuses, and what it answers with limits


def test_no_segments_is_refused_with_the_fix():
    empty = dataclasses.replace(run_of([1.0]), worlds=())
    with pytest.raises(EstimateError, match="no execution segments") as caught:
        estimate_thesis(empty)
    assert "--method jostle" in caught.value.hint


def test_one_segment_says_nothing():
    found = estimate_thesis(run_of([2.0]))
    assert (found.lost_s.value, found.coverage, found.inferred_coverage) == (0, 0, 0)
    assert found.run_s == pytest.approx(2.0)


def test_all_clusters_of_one():
    found = estimate_thesis(run_of([1.0] * 20, {"flops": [2**k for k in range(20)]}))
    assert found.percent.value == 0 and found.coverage == 0
    assert len(found.clusters) == 20 and not any(c.usable for c in found.clusters)


def test_clocks_that_were_set_back_are_refused():
    run = run_of([1.0] * 6)
    (world,) = run.worlds
    at = world.segments.column_names.index("duration_ns")
    bad = world.segments.set_column(at, "duration_ns", pa.array([-1] + [10**9] * 5))
    with pytest.raises(EstimateError, match="before they begin"):
        estimate_thesis(
            dataclasses.replace(run, worlds=(dataclasses.replace(world, segments=bad),))
        )


def test_set_up_before_the_first_rank_is_in_time_is_run_time():
    """The run is from the first MPI_Init to the last MPI_Finalize, wherever segments lie."""
    run = run_of([1.0] * 6)
    late = run.processes.set_column(
        run.processes.column_names.index("mpi_finalize_ns"),
        "mpi_finalize_ns",
        pa.array([START_NS + 12 * 10**9] * 2),
    )
    found = estimate_thesis(dataclasses.replace(run, processes=late))
    assert found.run_s == pytest.approx(12.0)
    assert found.coverage == pytest.approx(0.5)


def test_work_that_no_counter_can_have_is_refused():
    with pytest.raises(EstimateError, match="negative"):
        estimate_thesis(run_of([1.0] * 6, {"flops": [-5] + [7] * 5}))


def test_many_clusters_are_listed_up_to_a_limit():
    durations = [0.001] * 3000 + [0.002] * 8
    work = [int(3000 * 1.2**0.5 * k**2) + 1 for k in range(1, 3001)] + [1] * 8
    rng = np.random.default_rng(0)
    bytes_ = [*rng.permutation(3000).tolist(), *[5000] * 8]
    found = estimate_thesis(run_of(durations, {"flops": work, "p2p_bytes": bytes_}, ranks=1))
    assert len(found.clusters) == 2000
    assert sum(c.usable for c in found.clusters) == 1
    numbers = [c.number for c in found.clusters]
    assert numbers == sorted(numbers)
