"""Advice for a site: what it would have saved and which jobs it would delay, by known periods."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from jostle.analysis.interval import Interval, saving_of
from jostle.analysis.site_advice import (
    Cost,
    MountUse,
    SiteEvidence,
    SiteJob,
    SlowNode,
    recommend_site,
)
from jostle.analysis.site_advice.nodes import exclusive_nodes
from jostle.analysis.site_advice.outcome import by_pair, outcome
from jostle.analysis.site_advice.queue import Request, start_times
from jostle.report.verdict.site_advice import stored_costs

HOUR = 3600.0
SCRATCH = "lustre:mgs@tcp:/scratch"
GB = 1e9


def job(name: str, program: str, start_h: float, hours: float, **given: Any) -> SiteJob:
    usual = {"cores": 10.0, "nodes": (f"n{name}",), "mounts": {SCRATCH: MountUse(1e12, 1e9)}}
    return SiteJob(
        name, program, start_s=start_h * HOUR, end_s=(start_h + hours) * HOUR, **(usual | given)
    )


def cost(victim: str, cause: str, seconds: float, **given: Any) -> Cost:
    usual = {"resource": f"object servers of {SCRATCH}", "kind": "object servers"}
    interval = Interval(seconds, 0.8 * seconds, 1.2 * seconds)
    return Cost(victim, cause, seconds=interval, **(usual | given))


def site(jobs: list[SiteJob], costs: list[Cost], **given: Any) -> SiteEvidence:
    usual: dict[str, Any] = {"names": {SCRATCH: "/scratch"}, "peaks": {SCRATCH: 4 * GB}}
    return SiteEvidence(0.0, 24 * HOUR, {each.job: each for each in jobs}, costs, **usual | given)


def two_that_met() -> SiteEvidence:
    """A writer and a solver that ran together for an hour: the solver lost 30 min of 10 cores."""
    jobs = [
        job("w", "writer", 0.0, 2.0, mounts={SCRATCH: MountUse(2e13, 4 * GB)}),
        job("s", "solver", 1.0, 2.0),
    ]
    return site(jobs, [cost("s", "w", 1800.0)])


def approx(interval: Interval) -> Interval:
    ends: Any = map(pytest.approx, (interval.value, interval.low, interval.high))
    return Interval(*ends)


def the(rule: str, evidence: SiteEvidence) -> Any:
    (found,) = [each for each in recommend_site(evidence).found if each.rule == rule]
    return found


def test_a_job_that_is_slowed_on_all_of_its_nodes_at_once_lost_the_time_once() -> None:
    def of(value: float) -> dict[str, float]:
        return {"value": value, "low": 0.8 * value, "high": 1.2 * value}

    hosts = [f"n{number}" for number in range(16)]
    rows = [(host, "node", 1800.0) for host in hosts] + [(SCRATCH, "file system", 600.0)]
    found = stored_costs(
        "s",
        {
            "interference": {
                "resources": [{"resource": where, "kind": kind} for where, kind, _ in rows],
                "suspects": [
                    {"resource": where, "job": "w", "kind": "job", "seconds": of(seconds)}
                    for where, _, seconds in rows
                ],
                "seconds": of(2400.0),
            }
        },
    )
    victim = job("s", "solver", 0.0, 1.0, nodes=tuple(hosts), cores=160.0)
    lost = recommend_site(site([victim, job("w", "writer", 0.0, 1.0)], list(found.costs))).lost
    assert lost.value == pytest.approx(160.0 * 2400 / 3600)
    assert lost.value < victim.core_hours
    assert [each.seconds.value for each in found.costs if each.kind != "node"] == [600.0]


def test_jobs_start_when_there_is_enough_and_nobody_overtakes_on_the_same_resource() -> None:
    requests = [
        Request("a", 0.0, 10.0, {"x": 2}),
        Request("b", 1.0, 5.0, {"x": 3}),
        Request("c", 2.0, 1.0, {"x": 1}),
        Request("d", 2.0, 1.0, {"y": 1}),
    ]
    found = start_times(requests, {"x": 3, "y": 1})
    assert found == {"a": 0.0, "b": 10.0, "c": 15.0, "d": 2.0}


def test_more_than_there_is_counts_as_all_of_it_and_others_are_not_scarce() -> None:
    requests = [Request("a", 0.0, 10.0, {"x": 9}), Request("b", 0.0, 10.0, {"z": 5})]
    assert start_times(requests, {"x": 3}) == {"a": 0.0, "b": 0.0}


def test_a_licence_saves_what_two_programs_cost_each_other_and_says_who_waits() -> None:
    found = the("licence", two_that_met())
    assert found.saving == approx(saving_of(Interval(5.0, 4.0, 6.0)))
    assert [(each.program, each.jobs, each.most_s) for each in found.delays] == [
        ("solver", 1, HOUR)
    ]
    (setting,) = found.settings
    total = int(setting.rpartition(":")[2])
    asked = {each.program: int(each.words.rpartition(":")[2]) for each in found.directives}
    assert asked["writer"] + asked["solver"] > total
    assert setting.startswith("Licenses=scratch")


def test_licences_of_a_bandwidth_let_run_together_what_fits_the_peak() -> None:
    jobs = [job(f"s{n}", "solver", 0.0, 1.0) for n in range(4)]  # 1 GB/s each, of 4
    jobs += [job("w", "writer", 0.5, 1.0, mounts={SCRATCH: MountUse(1e13, 4 * GB)})]
    found = the("licence", site(jobs, [cost(f"s{n}", "w", 600.0) for n in range(4)]))
    assert {each.program for each in found.delays} == {"writer"}
    assert found.saving.value == pytest.approx(4 * 600 * 10 / 3600)


def test_what_still_runs_together_is_not_saved() -> None:
    """Licences that are enough for both change nothing, and save nothing."""
    evidence = two_that_met()
    lost = by_pair(evidence.costs, evidence.jobs)
    enough = outcome(evidence, lambda _: True, lost, {"writer": 1, "solver": 1}, 2)
    assert enough.saved.value == enough.saved.high == 0
    assert enough.delays == ()


def test_a_rate_limit_leaves_what_the_victims_do_not_need_and_names_the_price() -> None:
    found = the("rate limit", two_that_met())
    # 3 of 4 GB/s are left: its 5000 s of moving data become 6667 s, its pauses stay.
    assert found.saving.value == pytest.approx(5.0 * (1 - 7200 / 8867), rel=1e-3)
    assert "jobid={writer.*}" in found.texts[2]
    assert found.delays[0].program == "writer"
    assert found.delays[0].most_s == pytest.approx(2e13 / 3e9 - 2e13 / 4e9)
    counted = replace(two_that_met(), rpc_bytes={SCRATCH: 1e6}, servers={SCRATCH: 3})
    assert "rate=1000" in the("rate limit", counted).texts[2]


def test_without_pauses_a_limit_saves_in_proportion_to_the_rate() -> None:
    evidence = two_that_met()
    steady = replace(evidence.jobs["w"], mounts={SCRATCH: MountUse(7200 * 4 * GB, 4 * GB)})
    evidence = replace(evidence, jobs=dict(evidence.jobs) | {"w": steady})
    assert the("rate limit", evidence).saving.value == pytest.approx(5.0 * 0.25)


def test_only_lustre_has_rate_limits() -> None:
    other = "nfs:server:/data"
    jobs = [
        job("w", "writer", 0.0, 2.0, mounts={other: MountUse(2e13, 4 * GB)}),
        job("s", "solver", 1.0, 2.0, mounts={other: MountUse(1e12, GB)}),
    ]
    evidence = site(jobs, [cost("s", "w", 1800.0, resource=other, kind="file system")])
    assert {each.rule for each in recommend_site(evidence).found} == {"licence"}
    found = the("rate limit", replace(evidence, rate_limits=["nfs"], peaks={other: 4 * GB}))
    assert found.saving.value == pytest.approx(5.0 * (1 - 7200 / 8867), rel=1e-3)
    assert found.texts == ()
    assert "requests" not in found.saving_words


def test_whole_nodes_are_advised_only_where_they_save_more_than_they_leave_idle() -> None:
    here = {"nodes": ("n1",), "mounts": {}}
    jobs = [job("a", "hungry", 0.0, 2.0, **here), job("b", "model", 0.0, 2.0, **here)]
    costs = [cost("b", "a", 1800.0, resource="n1", kind="memory")]
    found = the("exclusive nodes", site(jobs, costs, node_cores={"n1": 11}))
    assert found.saving.value == pytest.approx(5.0 - 2.0)
    assert found.directives[0].words == "exclusive"
    assert recommend_site(site(jobs, costs, node_cores={"n1": 20})).found == ()
    unknown = the("exclusive nodes", site(jobs, costs))
    assert "not known" in unknown.pays


def test_a_slow_server_is_taken_out_of_use_by_what_its_file_system_knows() -> None:
    name = "server oss2 (lustre ost scratch-OST0003)"
    evidence = site([job("s", "solver", 0.0, 2.0)], [cost("s", name, 1800.0, source="server")])
    found = the("drain", evidence)
    assert found.saving == approx(saving_of(Interval(5.0, 4.0, 6.0)))
    assert "osp.scratch-OST0003-osc-MDT*.max_create_count=0" in found.texts[0]


def test_an_object_server_of_ceph_that_is_out_serves_no_file() -> None:
    mount = "ceph:mon:/"
    own = {"mounts": {mount: MountUse(1e12, GB)}}
    slow = cost(
        "s",
        "server storage2 (ceph osd.3)",
        1800.0,
        source="server",
        resource=f"object servers of {mount}",
    )
    found = the("drain", site([job("s", "solver", 0.0, 2.0, **own)], [slow]))
    assert found.texts[0].startswith("ceph osd out 3 ")


def test_a_slow_node_is_drained_and_a_hostile_name_is_no_command() -> None:
    nodes = [
        SlowNode("n7", "frequency under load is 20 % less", Interval(0.2, 0.18, 0.22)),
        SlowNode("n8", "errors of a GPU", None),
        SlowNode("n9;reboot", "slow", None),
    ]
    jobs = [job("s", "solver", 0.0, 2.0, nodes=("n7",))]
    first, second = recommend_site(site(jobs, [], slow_nodes=nodes)).found
    assert first.saving == Interval(2.5, 0.0, pytest.approx(20 * 0.22 / 0.78))
    assert "NodeName=n7 State=DRAIN" in first.texts[0]
    assert second.saving is None


def test_jobs_of_several_nodes_did_not_hold_all_of_their_cores_on_a_slow_one() -> None:
    nodes = tuple(f"n{k}" for k in range(4))
    slow = SlowNode("n1", "frequency under load is 20 % less", Interval(0.2, 0.18, 0.22))
    found = the("drain", site([job("s", "solver", 0.0, 2.0, nodes=nodes)], [], slow_nodes=[slow]))
    assert found.saving_words.startswith("1 jobs ran on it, with 20 core-hours on all of their")
    assert "held" not in found.saving_words


def test_costs_are_not_compared_with_each_other() -> None:
    """Computing all costs would take hours for a large site."""

    class Incomparable(Cost):
        def __eq__(self, other: object) -> bool:
            raise AssertionError("quadratic")

        __hash__ = Cost.__hash__

    one, two = ({"nodes": (node,), "mounts": {}} for node in ("n1", "n2"))
    jobs = [job("a", "hungry", 0.0, 2.0, **one), job("b", "model", 0.0, 2.0, **one)]
    jobs += [job("c", "greedy", 0.0, 2.0, **two), job("d", "solver", 0.0, 2.0, **two)]
    lost = Interval(1800.0, 1500.0, 2000.0)
    costs: list[Cost] = [
        Incomparable("b", "a", "n1", "memory", lost),
        Incomparable("d", "c", "n2", "memory", lost),
    ]
    found = exclusive_nodes(site(jobs, costs, node_cores={"n1": 11, "n2": 11}))
    assert sorted(each.where for each in found) == ["n1", "n2"]


def test_one_switch_is_advised_where_the_nodes_fit_below_one() -> None:
    nodes = tuple(f"n{k}" for k in range(4))
    jobs = [job("m", "mpi", 0.0, 2.0, nodes=nodes), job("w", "other", 0.0, 2.0)]
    costs = [cost("m", "w", 1800.0, resource="link leaf1 > spine", kind="network")]
    found = the("one switch", site(jobs, costs, leaf_nodes=4))
    assert found.saving == approx(saving_of(Interval(5.0, 0.0, 6.0)))
    assert recommend_site(site(jobs, costs, leaf_nodes=3)).found == ()


def test_a_program_with_a_hostile_name_is_in_no_text_to_paste() -> None:
    evidence = two_that_met()
    evil = '$(reboot)"\n'
    jobs = {**evidence.jobs, "w": replace(evidence.jobs["w"], program=evil)}
    for each in recommend_site(replace(evidence, jobs=jobs)).found:
        assert evil not in "".join(each.texts + each.settings)
        assert all(directive.program != evil for directive in each.directives)


def test_do_nothing_where_nothing_is_lost_or_nothing_is_certain() -> None:
    jobs = [job("w", "writer", 0.0, 2.0), job("s", "solver", 1.0, 2.0)]
    assert recommend_site(site(jobs, [])).nothing.startswith("Do nothing")
    doubtful = Cost("s", "w", SCRATCH, "file system", Interval(600.0, 0.0, 900.0))
    assert recommend_site(site(jobs, [doubtful])).found == ()
    small = cost("s", "w", 3.0)
    assert recommend_site(site(jobs, [small])).found == ()
    assert recommend_site(site([], [])).nothing == "No job ran in this period."


def test_jobs_without_a_verdict_are_named_as_a_limit() -> None:
    evidence = two_that_met()
    jobs = {**evidence.jobs, "x": job("x", "solver", 0.0, 1.0, evaluated=False)}
    given = recommend_site(replace(evidence, jobs=jobs))
    assert given.evaluated == 2
    assert any("1 of 3 jobs" in limit for limit in given.limits)


def test_energy_is_known_by_the_power_of_the_nodes() -> None:
    evidence = two_that_met()
    jobs = {**evidence.jobs, "s": replace(evidence.jobs["s"], watts=1000.0)}
    found = the("licence", replace(evidence, jobs=jobs))
    assert found.kwh.value == pytest.approx(5.0 * 2.0 / 20.0)  # 2 kWh in 20 core hours
    assert the("licence", evidence).kwh is None


def test_savings_are_never_more_than_what_was_lost() -> None:
    for hours, start in itertools.product((0.5, 2.0), (0.0, 0.7, 1.9)):
        jobs = [
            job("w", "writer", 0.0, 2.0, mounts={SCRATCH: MountUse(2e13, 4 * GB)}),
            job("s", "solver", start, hours),
            job("t", "solver", start + 0.3, hours),
        ]
        evidence = site(jobs, [cost("s", "w", 300.0), cost("t", "w", 200.0)])
        given = recommend_site(evidence)
        for each in given.found:
            assert each.saving.value <= given.lost.value + 1e-9
