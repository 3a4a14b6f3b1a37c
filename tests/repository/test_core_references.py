"""Reference times of the core-speed probe on a node: from enough runs of all jobs there."""

from __future__ import annotations

import numpy as np
import pytest

from synth import EPOCH, SECOND, Profile


def core_probes(spool, job, runs, took, program="/opt/ocean.x", script=""):
    """A job of one rank: so many runs of the core-speed probe in each slice, of so many ns each."""
    profile = Profile(
        job=job,
        pid=1000 + len(job),
        program=program,
        slice_ns=SECOND,
        start_ns=EPOCH,
        end_ns=EPOCH + len(took) * SECOND,
        end_reason=1,
        host="node1",
        mpi={
            "mpi_state": 4,
            "mpi_adapter": 1,
            "world_size": 1,
            "world_rank": 0,
            "script": script.encode(),
        },
    )
    for index, ns in enumerate(took):
        figures = {
            "core_probe_count": runs,
            "core_probe_ns": round(runs * ns),
            "os_user_ns": SECOND // 2,
        }
        profile.add_slice(profile.first_slice + index, figures)
    profile.write(spool)


def reference(store, job):
    return store.run_tables(job).references["node1"]


def test_lucky_slices_are_no_reference(store, spool):
    """Twenty runs to a slice scatter by a tenth; the cores were as fast all the time."""
    took = 4000 * (1 + 0.1 * np.random.default_rng(1).standard_normal(200))
    core_probes(spool, "long", 20, took)
    store.ingest([spool])
    assert reference(store, "long").ns == pytest.approx(4000, rel=0.08)
    assert np.quantile(took, 0.1) < 4000 * (1 - 0.08)  # what it was when each slice counted


def test_cores_that_were_faster_for_a_while_are_the_reference(store, spool):
    core_probes(spool, "long", 20, [4000.0] * 20 + [5000.0] * 80)
    store.ingest([spool])
    assert reference(store, "long").ns == pytest.approx(4000)


def test_short_jobs_count_with_what_they_have(store, spool):
    core_probes(spool, "short", 6, [4000.0, 4100.0, 4200.0])
    core_probes(spool, "shorter", 4, [3000.0])  # a single look is no measure
    core_probes(spool, "own", 50, [4500.0] * 10)
    core_probes(spool, "another", 50, [4400.0] * 10, program="/opt/other.x")
    store.ingest([spool])
    found = reference(store, "own")
    assert (found.jobs, found.own_jobs) == (2, 1)
    assert 4100 <= found.ns <= 4400
    assert reference(store, "short").own_jobs == 1


def test_scripts_of_one_interpreter_are_several_programs(store, spool):
    for job, script in (("1", "a.py"), ("22", "a.py"), ("333", "b.py")):
        core_probes(spool, job, 50, [4500.0] * 10, program="/usr/bin/python3.11", script=script)
    store.ingest([spool])
    assert [reference(store, job).own_jobs for job in ("1", "22", "333")] == [1, 1, 0]


def test_a_loop_that_took_no_time_is_no_reference(store, spool):
    """No core is that fast: such a profile is damaged or hostile."""
    core_probes(spool, "nothing", 50, [0.0] * 10)
    store.ingest([spool])
    assert store.run_tables("nothing").references == {}
    core_probes(spool, "some", 50, [4000.0] * 10)
    store.ingest([spool])
    assert reference(store, "nothing").ns == reference(store, "some").ns == pytest.approx(4000)
