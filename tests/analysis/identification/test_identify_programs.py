"""Runs with and without a neighbour, and which program slowed which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy import stats

from jostle.analysis import matrix
from jostle.analysis.identification.model import OTHERS, Visibility
from jostle.analysis.identification.runs.matrix import matrix_and_evidence
from jostle.analysis.identification.runs.with_without import difference
from jostle.repository.query.resources.co_running import JobFacts
from jostle.repository.query.resources.programs import FILE_CLASSES, MPI_CLASSES, Programs

MIB = 1 << 20
SECOND = 1_000_000_000


def _group(size, mean, deviation):
    """Makes values of exactly this mean and deviation that look normal."""
    values = stats.norm.ppf((np.arange(size) + 0.5) / size)
    return mean + deviation * (values - values.mean()) / values.std(ddof=1)


def test_the_interval_of_a_ratio_is_one_of_ratios():
    # Means 6 and 1.6 of few runs that spread widely: different by the test, so the interval holds
    # no zero; and no run takes less than no time.
    found = difference(_group(12, 6.0, 2.4), _group(4, 1.6, 1.0))
    assert -1 < found.slowdown.low < found.slowdown.value < found.slowdown.high
    assert found.p < 0.05 and found.slowdown.low > 0
    rng, held = np.random.default_rng(3), 0
    for _ in range(300):
        alongside, without = rng.lognormal(0.4, 0.5, 8), rng.lognormal(0.0, 0.5, 5)
        slowdown = difference(alongside, without).slowdown
        held += slowdown.low <= np.exp(0.4) - 1 <= slowdown.high
    assert 0.9 <= held / 300 <= 0.99


@pytest.mark.parametrize(("alongside", "without"), [(87, 66), (62, 91)])
def test_the_messaging_rates_of_the_paper(alongside, without):
    # Bhatele 5.3: 58.0 +- 9.12 with MILC, 66.0 +- 8.69 MB/s without; sizes are not printed.
    found = difference(_group(alongside, 58.0, 9.12), _group(without, 66.0, 8.69))
    assert found.test == "ANOVA"
    assert found.p == pytest.approx(1.76e-7, rel=0.2)
    assert found.equal_variance == pytest.approx(0.67, abs=0.03)
    assert all(p > 0.05 for p in found.normal)
    assert found.slowdown.value == pytest.approx(58 / 66 - 1)
    assert found.slowdown.low < found.slowdown.value < found.slowdown.high < 0


def test_ranks_where_the_assumptions_fail():
    rng = np.random.default_rng(1)
    found = difference(rng.pareto(1.1, 40) + 2, rng.pareto(1.1, 40) + 1)
    assert found.test == "Kruskal-Wallis"
    assert found.p < 0.01


def test_values_that_differ_by_rounding_alone_are_a_tie():
    # Sums of the same rows in another order differ by their last bits: seen as p .0202 and .0209.
    rng = np.random.default_rng(2)
    alongside, without = np.repeat(rng.pareto(1.1, 6) + 1, 3), np.repeat(rng.pareto(1.1, 4) + 1, 3)
    without[:6] = alongside[:6]
    exactly = difference(alongside, without)
    assert exactly.test == "Kruskal-Wallis"
    for _ in range(10):
        bits = [1 + rng.choice([-2e-16, 0, 3e-16], len(group)) for group in (alongside, without)]
        assert difference(alongside * bits[0], without * bits[1]).p == exactly.p


def test_too_few_runs_are_not_tested():
    found = difference(np.array([1.2, 1.3]), np.array([1.0, 1.0, 1.1]))
    assert found.test == "" and found.p is None
    assert found.slowdown is None  # of one run and another a ratio can be anything
    assert difference(np.array([]), np.array([1.0])).slowdown is None


def _tables(harm, runs=8, steps=60, spared=None):
    """Makes runs of a victim, alongside a storm in every second one, and with a calm one always.

    One run may be spared by its storm.
    """
    rng = np.random.default_rng(3)
    rows, jobs = [], {}
    for run in range(runs):
        for name, user in (("victim", 1), ("storm", 2), ("calm", 3)):
            if name != "storm" or run % 2:
                jobs[f"{name}-{run}"] = JobFacts(f"{name}-{run}", f"/bin/{name}", user)
        for k in range(steps):
            at = run * 1000 + k
            stormy = run % 2 == 1 and 10 <= k < 40
            slow = (1 + harm * stormy * (run != spared)) * rng.lognormal(0, 0.05)
            rows.append((f"victim-{run}", at, 100, 100 * MIB, 0.5e9 * slow))
            if k % 3:
                rows.append((f"calm-{run}", at, 30, 30 * MIB, 0.1e9))
            if stormy:
                rows.append((f"storm-{run}", at, 200, 200 * MIB, 0.9e9))
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(
            ("job", "slice", "posix_write_ops", "posix_write_bytes", "posix_write_ns")
        )
    }
    columns["posix_write_ns"] = [int(value) for value in columns["posix_write_ns"]]
    columns |= {"resource": ["fs"] * len(rows), "slice_ns": [SECOND] * len(rows)}
    for name in FILE_CLASSES:
        for what in ("ops", "bytes", "ns"):
            columns.setdefault(f"{name}_{what}", [0] * len(rows))
    return Programs(jobs, pa.table(columns), _empty(MPI_CLASSES), _empty(()))


def _empty(classes):
    names = [
        "slice",
        "slice_ns",
        *(f"{name}_{what}" for name in classes for what in ("ops", "bytes", "ns")),
    ]
    text = {name: pa.array([], pa.string()) for name in ("job", "resource")}
    return pa.table(text | {name: pa.array([], pa.int64()) for name in names})


def test_the_program_that_slows_another_is_found():
    found = matrix(_tables(0.8))
    first = found.encounters[0]
    assert (first.victim, first.aggressor) == ("/bin/victim", "/bin/storm")
    assert first.slowdown.value == pytest.approx(0.8, abs=0.2)
    assert first.q <= 0.05
    potential = {one.program: one for one in found.programs}
    assert potential["/bin/storm"].hurts == ["/bin/victim"]
    assert potential["/bin/victim"].hurt_by == ["/bin/storm"]
    assert potential["/bin/calm"].hurts == []


def _memories(harm, counted):
    """Runs of a program on a node whose memory a hog slows in every second one, and a calm one.

    counted: Their cache misses are known, and the calm one has none.
    """
    rng = np.random.default_rng(5)
    rows, jobs = [], {}
    for run in range(8):
        for name, user in (("victim", 1), ("hog", 2), ("calm", 3)):
            if name != "hog" or run % 2:
                jobs[f"{name}-{run}"] = JobFacts(f"{name}-{run}", f"/bin/{name}", user)
        for k in range(60):
            at = run * 1000 + k
            hogged = run % 2 == 1 and 10 <= k < 40
            slow = (1 + harm * hogged) * rng.lognormal(0, 0.03)
            rows.append((f"victim-{run}", at, 0.9e9, 6400 * slow, 2600 * slow, 1, 1e6))
            if k % 3:
                rows.append((f"calm-{run}", at, 0.9e9, 0, 0, 0, 1e3))
            if hogged:
                rows.append((f"hog-{run}", at, 0.9e9, 0, 0, 0, 1e8))
    names = ("job", "slice", "cpu_ns", "memory_latency_ns", "memory_stream_ns")
    names += ("memory_probe_count", "llc_misses")
    columns = {
        name: [row[place] if place < 2 else int(row[place]) for row in rows]
        for place, name in enumerate(names)
    }
    columns |= {
        "resource": ["node1"] * len(rows),
        "slice_ns": [SECOND] * len(rows),
        "queued_ns": [0] * len(rows),
    }
    if not counted:
        columns["llc_misses"] = [0] * len(rows)
    return Programs(jobs, _empty(FILE_CLASSES), _empty(MPI_CLASSES), pa.table(columns))


@pytest.mark.parametrize("counted", [False, True])
def test_the_program_that_slows_the_memory_of_another_is_found(counted):
    found = matrix(_memories(0.5, counted))
    first = found.encounters[0]
    assert (first.victim, first.aggressor, first.resource_kind) == (
        "/bin/victim",
        "/bin/hog",
        "memory",
    )
    assert first.slowdown.value == pytest.approx(0.5, abs=0.1)
    assert first.q <= 0.05
    potential = {one.program: one for one in found.programs}
    assert potential["/bin/calm"].hurts == []


def test_without_a_probe_the_matrix_has_no_memory():
    tables = _memories(0.5, counted=True)
    without = tables.nodes.drop_columns(["memory_probe_count"])
    found = matrix(replace(tables, nodes=without))
    assert all(each.resource_kind != "memory" for each in found.encounters)


def _gpus(harm, kernels):
    """Runs of a trainer that waits for its GPU, alongside a user of it in every second one."""
    rng = np.random.default_rng(4)
    rows, jobs = [], {}
    for run in range(8):
        for name, user in (("trainer", 1), ("user", 2), ("calm", 3)):
            if name != "user" or run % 2:
                jobs[f"{name}-{run}"] = JobFacts(f"{name}-{run}", f"/bin/{name}", user)
        for k in range(60):
            at = run * 1000 + k
            alongside = run % 2 == 1 and 10 <= k < 40
            slow = (1 + harm * alongside) * rng.lognormal(0, 0.05)
            rows.append((f"trainer-{run}", at, int(900 / slow), 0.7e9 * kernels, 0.9e9))
            if k % 3:
                rows.append((f"calm-{run}", at, 1, 0.04e9 * kernels, 0.01e9))
            if alongside:  # seven long kernels
                rows.append((f"user-{run}", at, 7, 0.6e9 * kernels, 0.9e9))
    names = ("job", "slice", "launches", "busy_ns", "wait_ns")
    columns = {
        name: [int(row[place]) if place else row[place] for row in rows]
        for place, name in enumerate(names)
    }
    columns |= {"resource": ["GPU 0000:3b:00.0 of n"] * len(rows), "slice_ns": [SECOND] * len(rows)}
    return Programs(
        jobs, _empty(FILE_CLASSES), _empty(MPI_CLASSES), _empty(()), gpus=pa.table(columns)
    )


@pytest.mark.parametrize("kernels", [0, 1])
def test_a_program_that_slows_another_on_a_gpu(kernels):
    """Also where kernels are not recorded, and one launch of the user is as long as 130."""
    found = matrix(_gpus(0.6, kernels))
    (pair,) = [
        one
        for one in found.encounters
        if one.victim == "/bin/trainer" and one.aggressor == "/bin/user"
    ]
    assert pair.resource_kind == "gpu"
    assert pair.slowdown.value == pytest.approx(0.6, abs=0.15) and pair.q <= 0.05
    potential = {one.program: one for one in found.programs}
    assert potential["/bin/user"].hurts == ["/bin/trainer"]
    assert potential["/bin/calm"].hurts == []


def test_a_gpu_on_which_nobody_does_harm():
    assert all(not one.hurts for one in matrix(_gpus(0.0, 0)).programs)


def test_a_program_that_slows_another_on_a_bus():
    tables = _tables(0.8)
    renamed = {f"posix_write_{what}": f"h2d_{what}" for what in ("ops", "bytes", "ns")}
    rows = tables.mounts.rename_columns(
        [renamed.get(name, name) for name in tables.mounts.column_names]
    )
    found = matrix(
        Programs(tables.jobs, _empty(FILE_CLASSES), _empty(MPI_CLASSES), _empty(()), buses=rows)
    )
    first = found.encounters[0]
    assert (first.victim, first.aggressor, first.resource_kind) == (
        "/bin/victim",
        "/bin/storm",
        "bus",
    )
    assert first.slowdown.value == pytest.approx(0.8, abs=0.2) and first.q <= 0.05


def test_nobody_hurts_where_nobody_does():
    assert all(not one.hurts for one in matrix(_tables(0.0)).programs)


def test_no_run_takes_less_than_no_time():
    """The usual cost of a storm exceeds the run time of the run without it."""
    found, runs = matrix_and_evidence(_tables(4.0, spared=7), Visibility())
    for one, behind in zip(found.encounters, runs, strict=True):
        assert min(value for _, value in (*behind.alongside, *behind.without)) > 0.8, one
        assert one.slowdown is None or one.slowdown.value > -1


def test_of_other_users_programs_only_the_sum_is_disclosed():
    found = matrix(_tables(0.8), as_user=1)
    reported = repr(found.to_json())
    assert "storm" not in reported and "calm" not in reported
    assert {one.victim for one in found.encounters} == {"/bin/victim"}
    assert {one.aggressor for one in found.encounters} == {OTHERS}
    assert found.jobs == 8


def test_an_empty_repository_gives_an_empty_matrix():
    found = matrix(Programs({}, _empty(FILE_CLASSES), _empty(MPI_CLASSES), _empty(())))
    assert found.encounters == [] and found.limits


def test_programs_that_never_meet_give_an_empty_matrix():
    tables = _tables(0.8)
    rows = tables.mounts.filter(pc.starts_with(tables.mounts["job"], "victim"))
    found = matrix(replace(tables, mounts=rows))
    assert found.encounters == [] and found.limits
