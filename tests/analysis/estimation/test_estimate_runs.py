"""Whole runs by method jostle: traces of known truth, jobs without segments, hostile input."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis import estimate
from jostle.analysis.estimation.errors import EstimateError
from jostle.repository.query.job.run_tables import UNUSED_COLUMNS
from jostle_lab.synthetic import SPECS, trace


def checked(tables, **options):
    """Estimates, and checks the properties of every answer."""
    found = estimate(tables, **options)
    json.dumps(found.to_json(), allow_nan=False)
    assert 0 <= found.lost_s.low <= found.lost_s.value <= found.lost_s.high
    assert found.lost_s.value <= found.run_s
    assert 0 <= found.coverage <= 1
    total = sum(cause.seconds.value for cause in found.causes)
    assert total == pytest.approx(found.lost_s.value, rel=0.01, abs=0.01)
    assert estimate(tables, **options).to_json() == found.to_json()
    return found


@pytest.mark.in_turn
@pytest.mark.parametrize("family", ["steady-15", "halo-calls", "checkpoints", "imbalance-static"])
def test_traces_of_known_truth(family):
    tables, truth = trace(SPECS[family], 4)
    found = checked(tables)
    assert found.percent.value == pytest.approx(truth.percent, abs=2)
    assert found.percent.low <= truth.percent <= found.percent.high
    assert found.inferred_coverage > 0.9


@pytest.mark.in_turn
@pytest.mark.parametrize("family", ["wavefront-calls", "wavefront-memory", "assembly-hog"])
def test_sweeps_and_what_is_done_once(family):
    """Few collectives and delays in every segment; a hog, and work that never recurs."""
    tables, truth = trace(SPECS[family], 1)
    found = checked(tables)
    assert found.percent.value == pytest.approx(truth.percent, abs=2.5)
    assert found.percent.low <= truth.percent <= found.percent.high


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "family", ["clean-content", "clean-imbalance", "clean-wavefront", "clean-assembly"]
)
def test_scatter_of_a_job_left_alone_is_no_loss(family):
    found = checked(trace(SPECS[family], 4)[0])
    assert found.percent.value < 1
    assert found.percent.low == 0


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", range(3))
def test_work_that_goes_from_rank_to_rank_is_no_loss(seed):
    """Segments become longer, but no more is done in them; disturbed equal runs are reported."""
    spec = SPECS["imbalance-wandering"]
    found = checked(trace(dataclasses.replace(spec, disturbances=()), seed)[0])
    assert found.percent.value < 0.1
    tables, truth = trace(SPECS["imbalance-memory"], seed)
    assert checked(tables).percent.value == pytest.approx(truth.percent, abs=1)


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", [3, 8006001])
def test_most_of_the_windows_of_one_length_were_slow(seed):
    """Early windows hold one step, later ones two: that the former take as long is no fixed cost.

    And a quarter of those early ones took half of it.
    """
    tables, truth = trace(SPECS["imbalance-memory"], seed)
    assert checked(tables).percent.value == pytest.approx(truth.percent, abs=1)


def test_who_has_time_to_spare_loses_nothing_off_the_cpu():
    """A node's CPU is taken from ranks, most of which would have waited for others anyway."""
    taken, reported = 0.0, 0.0
    for seed in (1, 3, 5, 6, 7):
        tables, truth = trace(SPECS["imbalance-wandering"], seed)
        taken += truth.by_cause["cpu"]
        reported += sum(row.seconds.value for row in checked(tables).causes if row.cause == "cpu")
    assert reported == pytest.approx(taken, rel=0.1)


def test_seconds_go_to_the_cause_that_took_them():
    tables, truth = trace(SPECS["many-causes"], 1)
    found = checked(tables)
    for cause, seconds in truth.by_cause.items():
        reported = sum(row.seconds.value for row in found.causes if row.cause == cause)
        assert reported == pytest.approx(seconds, rel=0.65), cause


def world_of(tables, segments):
    """The same run with other segments."""
    return dataclasses.replace(
        tables, worlds=(dataclasses.replace(tables.worlds[0], segments=segments),)
    )


@pytest.fixture(scope="module")
def run():
    return trace(SPECS["halo-steal"], 4)[0]


@pytest.mark.parametrize("kept", [1, 2, 5])
def test_a_few_segments_are_said_to_be_few(run, kept):
    found = checked(world_of(run, run.worlds[0].segments.slice(0, kept)))
    assert any("too few to know how long its work usually takes" in limit for limit in found.limits)


def test_nothing_recurs(run):
    segments = run.worlds[0].segments
    place = segments.schema.get_field_index("signature_set")
    sets = np.uint64(1) << (np.arange(segments.num_rows) % 64).astype(np.uint64)
    alone = segments.set_column(place, "signature_set", pa.array(sets)).slice(0, 60)
    found = checked(world_of(run, alone))
    assert found.inferred_coverage == 0
    assert any("could be evaluated" in limit for limit in found.limits)


@pytest.mark.parametrize("value", [0, -5, 2**62])
def test_impossible_durations_are_no_crash(run, value):
    segments = run.worlds[0].segments
    place = segments.schema.get_field_index("duration_ns")
    column = segments["duration_ns"].to_numpy().copy()
    column[3:9] = value
    found = estimate(world_of(run, segments.set_column(place, "duration_ns", pa.array(column))))
    json.dumps(found.to_json(), allow_nan=False)


def test_without_slices_seconds_have_no_node(run):
    found = checked(dataclasses.replace(run, slices=run.slices.slice(0, 0)))
    assert {cause.resource for cause in found.causes if cause.cause == "cpu"} <= {""}


def test_a_job_without_anything_is_refused(run):
    empty = dataclasses.replace(run, worlds=(), slices=run.slices.slice(0, 0))
    with pytest.raises(EstimateError, match="no slices") as refused:
        estimate(empty)
    assert refused.value.hint


def test_a_job_without_segments_is_priced_from_its_slices(run):
    found = checked(dataclasses.replace(run, worlds=()))
    assert found.world == -1
    assert found.segments.num_rows == 0
    assert any("no execution segments" in limit for limit in found.limits)


def test_several_worlds_are_said(run):
    small = dataclasses.replace(
        run.worlds[0], number=1, segments=run.worlds[0].segments.slice(0, 9)
    )
    found = checked(dataclasses.replace(run, worlds=(small, *run.worlds)))
    assert found.world == 0
    assert any("more world" in limit for limit in found.limits)


def test_a_longer_delay_costs_more(run):
    """A segment of a known kind that takes another 50 ms costs 50 ms more."""
    before = estimate(run)
    segments = run.worlds[0].segments
    excess = np.where(before.segments["cluster"].to_numpy() > 0, before.segments["excess_ns"], 0)
    hit = int(np.argmax(excess)) if excess.any() else segments.num_rows // 2
    columns = {}
    for name in ("duration_ns", "end_ns", "start_ns"):
        column = segments[name].to_numpy().copy()
        column[(hit if name != "start_ns" else hit + 1) :] += 50_000_000
        if name == "duration_ns":
            column[hit + 1 :] -= 50_000_000
        columns[name] = pa.array(column)
    for name, column in columns.items():
        segments = segments.set_column(segments.schema.get_field_index(name), name, column)
    after = estimate(world_of(run, segments))
    assert after.lost_s.value - before.lost_s.value == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("method", ["jostle", "thesis"])
def test_no_estimate_looks_at_columns_that_are_not_read(method):
    tables, _ = trace(SPECS["solver-calls"], 3)
    (world,) = tables.worlds
    kept = [name for name in world.segments.column_names if name not in UNUSED_COLUMNS]
    assert len(kept) < len(world.segments.column_names)
    few = dataclasses.replace(world, segments=world.segments.select(kept))
    found = estimate(dataclasses.replace(tables, worlds=(few,)), method=method)
    assert found.to_json() == estimate(tables, method=method).to_json()


@pytest.mark.parametrize("library", ["gloo", "NCCL 2.27.3", "Open MPI v4.1.4"])
def test_ranks_of_training_jobs_sleep_of_their_own_accord(library):
    tables, truth = trace(SPECS["halo-calls"], 4)
    world, segments = tables.worlds[0], tables.worlds[0].segments
    rows = segments.select(["duration_ns", "bin_ns", "offcpu_max_bins"]).to_pylist()
    half = {
        "offcpu_ns": [len(world.ranks) * row["duration_ns"] // 2 for row in rows],
        "offcpu_max_bins": [
            [row["bin_ns"] // 2 for _ in row["offcpu_max_bins"] or ()] for row in rows
        ],
    }
    for name, values in half.items():
        at = segments.schema.get_field_index(name)
        segments = segments.set_column(at, name, pa.array(values, segments.schema.field(at).type))
    at = tables.processes.schema.get_field_index("mpi_library")
    names = pa.array([library] * tables.processes.num_rows)
    processes = tables.processes.set_column(at, "mpi_library", names)
    world = dataclasses.replace(world, segments=segments)
    found = checked(dataclasses.replace(tables, worlds=(world,), processes=processes))
    if library.startswith("Open MPI"):
        assert found.percent.value > truth.percent + 20
    else:
        assert found.percent.value == pytest.approx(truth.percent, abs=2)


def test_launchers_in_python_are_no_processes_alongside_the_ranks(run):
    names = [
        "torchrun",
        "torch.distributed.run",
        "accelerate.commands.launch",
        "deepspeed.launcher.launch",
        "load.py",
    ]
    others = [
        {
            **run.processes.slice(0, 1).to_pylist()[0],
            "process": 1000 + at,
            "script": name,
            "program": "/usr/bin/python3.11",
            "world_size": 0,
        }
        for at, name in enumerate(names)
    ]
    more = pa.Table.from_pylist(others, run.processes.schema)
    found = checked(dataclasses.replace(run, processes=pa.concat_tables([run.processes, more])))
    assert "1 process that is no rank is not assessed." in found.limits
