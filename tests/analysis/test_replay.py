"""Replays of periods: against schedules made by hand, and periods with known truth."""

from __future__ import annotations

from dataclasses import replace as changed
from typing import Any

import numpy as np
import pytest

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice import (
    Cost,
    MountUse,
    Policy,
    SiteEvidence,
    SiteJob,
    policy_of,
    recommend_site,
    replay,
)
from jostle.analysis.site_advice.replay_model import Load
from jostle.analysis.site_advice.simulate import Rates, simulate
from jostle.errors import UsageError
from jostle.report.format.scheduler_policy import read_policy, slurm_policy

ALONE = Rates({"p": 0, "q": 1}, np.zeros((2, 2)))


def load(job: str, at_s: float, work_s: float, cores: float = 1, **given: Any) -> Load:
    return Load(job, given.pop("program", "p"), at_s, work_s, cores, given.pop("needs", {}))


def test_jobs_start_in_their_order_and_wait_for_cores() -> None:
    loads = [load("a", 0, 10, 4), load("b", 1, 5, 2), load("c", 2, 5, 2)]
    starts, ends = simulate(loads, ALONE, 4, {})
    assert starts.tolist() == [0, 10, 10]
    assert ends.tolist() == [10, 15, 15]


def test_a_small_job_passes_only_if_it_delays_nobody() -> None:
    """3 of 4 cores are held until 10; b needs 4. c ends by then, d does not."""
    loads = [load("a", 0, 10, 3), load("b", 1, 5, 4), load("c", 2, 5, 1), load("d", 3, 20, 1)]
    starts, _ = simulate(loads, ALONE, 4, {})
    assert starts.tolist() == [0, 10, 2, 15]
    # Where b leaves a core free, d may use it.
    loads[1] = load("b", 1, 5, 3)
    starts, _ = simulate(loads, ALONE, 4, {})
    assert starts.tolist() == [0, 10, 2, 7]


def test_a_licence_keeps_back_only_those_that_need_it() -> None:
    needs = {"bw": 1.0}
    loads = [load("a", 0, 10, needs=needs), load("b", 1, 10, needs=needs), load("c", 2, 3)]
    starts, _ = simulate(loads, ALONE, 10, {"bw": 1})
    assert starts.tolist() == [0, 10, 2]


def test_jobs_slow_each_other_while_both_run() -> None:
    """q loses half of its time while p runs, which loses nothing: 10 s of q take 5 + 7.5."""
    rates = Rates({"p": 0, "q": 1}, np.array([[0.0, 0.5], [0.0, 0.0]]))
    loads = [load("p1", 0, 5), load("q1", 0, 10, program="q")]
    _, ends = simulate(loads, rates, 10, {})
    assert ends.tolist() == pytest.approx([5, 12.5])
    # Two of p take all but the least speed.
    _, ends = simulate([loads[0], load("p2", 0, 5), loads[1]], rates, 10, {})
    assert ends[2] == pytest.approx(5 + 10 - 5 * 0.05)


def test_a_job_that_asks_for_more_than_there_is_gets_all() -> None:
    starts, ends = simulate([load("a", 0, 5, 99, needs={"bw": 9})], ALONE, 4, {"bw": 2})
    assert (starts.tolist(), ends.tolist()) == ([0], [5])


SCRATCH = "nfs:server:/scratch"


def period(number: int = 12, every_s: float = 500.0, cores: float = 8.0) -> SiteEvidence:
    """Writers and solvers, alternately: a solver loses a fifth of the time alongside a writer."""
    jobs, costs = {}, []
    for k in range(number):
        program = "writer" if k % 2 else "solver"
        start = k * every_s
        name = f"{program}-{k}"
        jobs[name] = SiteJob(
            name, program, ("n1",), cores, start, start + 900, {SCRATCH: MountUse(1e9, 1e9)}, start
        )
    for victim in jobs.values():
        for cause in jobs.values():
            both = min(victim.end_s, cause.end_s) - max(victim.start_s, cause.start_s)
            if victim.program == "solver" and cause.program == "writer" and both > 0:
                seconds = Interval(0.2 * both, 0.15 * both, 0.25 * both)
                costs.append(Cost(victim.job, cause.job, SCRATCH, "file system", seconds))
    return SiteEvidence(0.0, number * every_s + 900, jobs, costs, peaks={SCRATCH: 1.5e9})


def test_without_a_policy_the_replay_is_like_the_record() -> None:
    result = replay(period(), Policy(), cores=100)
    for name in ("waited_s", "core_hours", "lost_core_hours", "utilisation"):
        assert getattr(result.without, name) == pytest.approx(
            getattr(result.recorded, name), rel=0.02, abs=1e-6
        ), name
    assert result.saved == Interval(0, 0, 0)
    assert result.delays == ()


def test_licences_that_keep_programs_apart_save_what_was_lost_and_delay() -> None:
    evidence = period(number=2)
    policy = policy_of(recommend_site(evidence))
    assert policy.totals
    result = replay(evidence, policy, cores=100)
    lost = sum(cost.seconds.value for cost in evidence.costs) * 8 / 3600
    assert result.saved.value == pytest.approx(lost, rel=0.01)
    assert result.saved.low < result.saved.value < result.saved.high
    assert result.with_policy.lost_core_hours == pytest.approx(0, abs=1e-6)
    assert result.waited_more_s.value > 0
    assert [row.program for row in result.delays] == ["writer"]


def test_whole_nodes_end_what_is_lost_on_nodes() -> None:
    evidence = period(number=2)
    on_nodes = [changed(cost, resource="n1", kind="memory") for cost in evidence.costs]
    evidence = changed(evidence, costs=on_nodes, node_cores={"n1": 8})
    result = replay(evidence, Policy({}, {"writer": ("exclusive",)}), cores=100)
    assert result.with_policy.lost_core_hours == pytest.approx(0, abs=1e-6)
    assert result.without.lost_core_hours > 0


def test_what_is_not_known_is_said() -> None:
    evidence = period()
    jobs = {
        name: changed(job, submit_s=None, evaluated=name != "writer-1")
        for name, job in evidence.jobs.items()
    }
    policy = Policy({}, {"solver": ("switches=1@60",)})
    said = " ".join(replay(changed(evidence, jobs=jobs), policy, cores=100).limits)
    assert "when 12 of 12 jobs were submitted" in said
    assert "Switches are not part" in said
    assert "1 of 12 jobs have no verdict" in said


def test_an_empty_period_can_be_replayed() -> None:
    result = replay(SiteEvidence(0.0, 1.0, {}, []), Policy())
    assert result.jobs == 0


def test_the_same_seed_gives_the_same_answer() -> None:
    evidence = period()
    policy = policy_of(recommend_site(evidence))
    assert replay(evidence, policy, seed=3) == replay(evidence, policy, seed=3)


def test_the_table_of_the_plug_in_is_read_as_it_was_written() -> None:
    advice = recommend_site(period(number=2))
    assert read_policy(slurm_policy(advice), "x") == policy_of(advice)
    with pytest.raises(UsageError, match="line 1"):
        read_policy("writer licenses=a:1\n", "x")
