"""CPU time that others took, computed from the run queue, also if it lasted the whole run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis import estimate
from jostle.analysis.estimation.oversubscribed import crowd
from jostle.analysis.estimation.starved import cores
from jostle.report.verdict.gate import find
from jostle.repository.types import RunTables

S = 1_000_000_000
START = 1_700_000_000 * S
METRICS = (
    "os_user_ns",
    "os_system_ns",
    "os_runqueue_ns",
    "os_threads",
    "os_cpus",
    "os_first_cpu",
    "os_awake",
    "os_cpu_limit",
    "os_throttled_ns",
    "wait_mpi_ns",
    "core_probe_steal_ns",
)


def rows(each, seconds=8, host="node1"):
    """Slices of a second in which each of some processes does the same repeatedly."""
    count = len(each)
    table = {
        "host": [host] * seconds,
        "slice": START // S + np.arange(seconds),
        "slice_ns": np.full(seconds, S),
        "count": np.full(seconds, count),
    }
    for name in METRICS:
        values = np.array([one.get(name, 0) for one in each], dtype=np.int64)
        for stat, value in (("sum", values.sum()), ("min", values.min()), ("max", values.max())):
            table[f"{name}_{stat}"] = np.full(seconds, value)
    return pa.table(table)


def run(each, seconds=8, ranks=0, begin=0.0):
    """The tables of a job without segments; `begin` seconds of its first slice are gone by then."""
    slices = rows(each, seconds)
    count = len(each)
    processes = pa.table(
        {
            "process": np.arange(count),
            "host": ["node1"] * count,
            "short": [False] * count,
            "world_size": [ranks] * count,
            "start_ns": [START + int(begin * S)] * count,
            "end_ns": [START + seconds * S] * count,
            "last_slice": [START // S + seconds - 1] * count,
            "slice_ns": [S] * count,
        }
    )
    none = slices.slice(0, 0)
    mounts = pa.table({"mount": pa.array([], pa.string()), "host": pa.array([], pa.string())})
    return RunTables(
        "job", processes, mounts, (), slices, none.rename_columns(["mount", *none.column_names[1:]])
    )


def process(used, waited, *, cpus=1, first=0, awake=1, limit=0.0, **more):
    """What a process does in a second: it uses so many seconds of cores, and waits for them."""
    return {
        "os_user_ns": int(used * S),
        "os_runqueue_ns": int(waited * S),
        "os_threads": awake,
        "os_cpus": cpus,
        "os_first_cpu": first,
        "os_awake": awake,
        "os_cpu_limit": int(1000 * limit),
        **more,
    }


@pytest.mark.parametrize(
    ("each", "lost"),
    [
        ([process(1 / 3, 2 / 3)], 2 / 3),  # alongside two loops of others on its core
        ([process(1 / 3, 2 / 3, cpus=64)], 2 / 3),
        ([process(0.3, 0.2, cpus=2)], 0.2),  # it sleeps half the time
        ([process(1.0, 3.0, awake=4)], 0.0),  # four threads on one core, alone
        ([process(4 / 6, 4 - 4 / 6, awake=4)], 1 / 3),  # and alongside two loops
        (
            [process(3.0, 1.0, cpus=4, awake=4)],
            0.25,
        ),  # four threads on four cores, two of them shared
        ([process(0.5, 0.5)] * 2, 0.0),  # two stages of a pipeline on one core
        ([process(0.5, 0.5), process(0.5, 0.5, first=1)], 0.5),  # on a core each
        ([process(0.5, 0.5, cpus=2)] * 2, 0.5),
        (
            [process(0.6, 0.4, cpus=2), process(0.1, 0.0, cpus=2)],
            0.4 / 1.1,
        ),  # the second mostly sleeps
        ([process(0.5, 0.5, limit=0.5)], 0.0),  # its own limit
        ([process(0.25, 0.75, limit=0.5)], 0.5),  # half of what its limit allows
        ([process(1.0, 0.5, cpus=4, awake=3, limit=1.0)], 0.0),
    ],
)
def test_what_others_took_is_lost_though_it_was_so_all_the_time(each, lost):
    made = estimate(run(each))
    assert made.lost_s.value / made.run_s == pytest.approx(lost, abs=0.01)
    assert made.lost_s.low <= lost * made.run_s <= made.lost_s.high
    assert sum(cause.seconds.value for cause in made.causes) == pytest.approx(made.lost_s.value)
    assert {cause.cause for cause in made.causes} <= {"cpu"}
    assert find(made, 7.5).finding == ("disturbed" if lost > 0.075 else "clean")


def test_time_in_which_it_wanted_a_core_was_assessed():
    assert estimate(run([process(1 / 3, 2 / 3)])).coverage == pytest.approx(1.0)
    # A pipeline: who never sleeps is assessed, whoever waits for it.
    made = estimate(run([process(0.7, 0.3, cpus=2), process(0.05, 0, cpus=2)]))
    assert made.coverage == pytest.approx(1.0)
    assert estimate(run([process(0.2, 0.1)])).coverage == pytest.approx(0.3)


def test_computation_alongside_others_on_its_node_is_not_called_undisturbed():
    # Two threads of one core slow each other by a third, and no slice of a run shows it: seen of a
    # Python pipeline, 3.5 s in place of 2.4, with all of it in its CPU time.
    tables = run([process(0.9, 0.0, cpus=2)])
    assert estimate(tables).lit.light == "green"
    for spent, light in ((0.3, "green"), (4.0, None)):
        made = estimate(replace(tables, others_cpu_s={"node1": spent}))
        assert (made.lit.light, made.lost_s.value) == (light, 0)
    # That it had its core is known for all that time; how fast the core was widens the interval.
    assert made.coverage == pytest.approx(0.9)
    assert made.percent.high > 27
    assert made.lit.decided_by == "a run alone on its nodes"
    assert any("Other jobs computed on node1 meanwhile, 4 s of CPU" in one for one in made.limits)
    # What others took of its core was lost for certain.
    starved = replace(run([process(1 / 3, 2 / 3)]), others_cpu_s={"node1": 5.3})
    made = estimate(starved)
    assert made.lit.light == "red"
    assert made.causes[0].seconds.high <= made.run_s


def test_the_part_of_a_slice_in_which_it_ran_counts_as_such():
    made = estimate(run([process(2.0, 2.0, cpus=4, awake=4)], seconds=1, begin=0.0))
    assert made.lost_s.value == pytest.approx(0.5)
    made = estimate(run([process(1.0, 1.0, cpus=4, awake=4)], seconds=1, begin=0.5))
    assert (made.run_s, made.lost_s.value) == pytest.approx((0.5, 0.25))


def test_what_is_booked_late_is_priced_whole():
    # A loop that calls nothing is seen at its end, and booked evenly over all slices: of 7.1 s it
    # waited 5.
    made = estimate(run([process(2.1 / 8, 5 / 8, cpus=2)], begin=0.9))
    assert made.lost_s.value == pytest.approx(5, abs=0.01)
    assert made.coverage == pytest.approx(1)


def test_the_jobs_own_limit_is_said_and_not_lost():
    throttled = process(0.5, 0.5, limit=0.5, os_throttled_ns=S // 2)
    made = estimate(run([throttled]))
    assert made.lost_s.value == 0
    said = [limit for limit in made.limits if "own CPU limit" in limit]
    assert len(said) == 1 and "0.5 cores" in said[0] and "4 s" in said[0]
    assert not [x for x in estimate(run([process(1, 0)])).limits if "own CPU limit" in x]


def test_threads_that_want_cores_at_different_times_show_in_the_interval():
    # One that always wants the one core, another now and then: they may meet or not.
    made = estimate(run([process(1 / 3, 0.8, awake=2)]))
    assert made.lost_s.value < 0.3 * made.run_s < 0.66 * made.run_s < made.lost_s.high


def test_steal_that_the_core_probe_saw_is_priced():
    made = estimate(run([process(0.999, 0, core_probe_steal_ns=S // 4)]))
    assert made.lost_s.value / made.run_s == pytest.approx(0.25, abs=0.01)
    assert [(one.cause, one.kind) for one in made.causes] == [("cpu", "steal")]


def test_of_older_profiles_one_thread_is_priced_as_well():
    old = {"os_user_ns": S // 4, "os_runqueue_ns": 3 * S // 4, "os_threads": 1}
    made = estimate(run([old]))
    assert made.lost_s.value / made.run_s == pytest.approx(0.75, abs=0.01)
    shared = {"os_user_ns": S // 2, "os_runqueue_ns": S // 2, "os_threads": 1}
    assert estimate(run([shared] * 2)).lost_s.value == 0  # on one core, as far as is known


def test_ranks_without_segments_wait_for_the_one_that_is_starved():
    each = [process(1.0, 0.0), process(0.6, 0.4, first=1)]
    made = estimate(run(each, ranks=2, seconds=20))
    assert made.lost_s.value / made.run_s == pytest.approx(0.4, abs=0.01)


def test_cores_side_by_side_add_up():
    def of(*places):
        return cores(rows([process(1, 0, cpus=n, first=at) for at, n in places], 1))[0]

    assert of((0, 1), (1, 1)) == 2
    assert of((0, 1), (0, 1)) == 1
    assert of((0, 4), (0, 4)) == 4
    assert of((0, 2), (2, 2), (4, 2)) == 6
    assert of((5, 1), (5, 1), (0, 0)) == 1  # with a short-lived process, which has no such count
    assert of((2, 1), (3, 1), (0, 0)) == 2


def test_a_core_for_each_rank_that_others_keep_busy_all_the_time_is_no_smaller_node():
    each = [process(0.5, 0.5, cpus=2)] * 2
    assert crowd(rows(each, 20), ranks=2) is None
    alone = crowd(rows([process(0.5, 0.5)] * 2, 20), ranks=2)  # bound to one core
    assert alone is not None and alone.cores == 1 and alone.taken_s.sum() == 0
    alongside = crowd(rows([process(0.25, 0.75)] * 2, 20), ranks=2)
    assert alongside is not None and alongside.taken_s.sum() == pytest.approx(10)
