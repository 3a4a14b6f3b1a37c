"""Placement of jobs in fabrics: shapes, hops, footprints, co-running jobs, against plain loops."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from jostle.analysis.identification.model import OTHERS
from jostle.analysis.placement import (
    Company,
    FabricMap,
    Meeting,
    Run,
    Shape,
    Stay,
    communicators,
    company,
)
from jostle.analysis.placement.pairs import informative_pairs
from jostle.analysis.placement.relations import measured, suspects
from jostle.analysis.spread import Range
from jostle.errors import UsageError
from jostle.network import footprint, routes_of
from jostle.report.format.placement import pair_answer
from jostle.report.models.job.placement import job_placement
from jostle.repository import Repository
from jostle.repository.query.job import messages
from jostle.topology import Topology, dragonfly, fat_tree, torus
from jostle_lab.synthetic import Spec, plant


def at(topology: Topology, place: tuple[int, ...]) -> int:
    return topology.place["s" + "-".join(map(str, place))]


def walk(topology: Topology, start: int, end: int) -> set[int]:
    """Return the links of the routes in dimension order, one hop after the other."""
    used = set()
    here = [int(each) for each in topology.coordinates[start]]
    goal = topology.coordinates[end].tolist()
    ways: list[list[int]] = [here]
    for k, size in enumerate(topology.sizes):
        nexts = []
        for place in ways:
            steps = (goal[k] - place[k]) % size
            signs = [1] if goal[k] > place[k] else [-1]
            if topology.wraps[k]:
                signs = [1] if 2 * steps < size else [-1] if 2 * steps > size else [1, -1]
            for sign in signs:
                now = list(place)
                while now[k] != goal[k]:
                    used |= {
                        link
                        for link in range(len(topology.sources))
                        if topology.sources[link] == at(topology, tuple(now))
                        and topology.link_dimensions[link] == k
                        and topology.link_signs[link] == sign
                    }
                    now[k] = (now[k] + sign) % size
                nexts.append(now)
        ways = nexts[:1]  # all are at the same place now
    return used


@pytest.mark.parametrize(
    ("sizes", "wraps"),
    [((4, 3), None), ((5, 2, 3), None), ((4, 4), (True, False)), ((6,), (False,))],
)
def test_a_footprint_in_a_torus_is_what_every_pair_takes(
    sizes: tuple[int, ...], wraps: tuple[bool, ...] | None
) -> None:
    topology = torus(sizes, wraps=wraps)
    rng = np.random.default_rng(len(sizes))
    nodes = np.flatnonzero(~topology.is_switch)
    for count in (1, 2, 3, 5):
        some = np.sort(rng.choice(nodes, count, replace=False))
        pairs = itertools.permutations(topology.switch_of[some].tolist(), 2)
        slow = set().union(*(walk(topology, *pair) for pair in pairs))
        assert set(np.flatnonzero(footprint(topology, some)).tolist()) == slow


@pytest.mark.parametrize(
    "topology", [fat_tree(4, 3, 2, cores=2, leaves_per_pod=2), dragonfly(4, 3, 2)]
)
def test_a_footprint_elsewhere_is_what_routes_take(topology: Topology) -> None:
    fabric_map = FabricMap(topology)
    hosts = [f"node{number}" for number in (1, 2, 4, 11, 12)]
    nodes = np.array([fabric_map.vertex_of[host] for host in hosts])
    pairs = np.array(list(itertools.permutations(nodes, 2)))
    taken = routes_of(topology, *pairs.T).low.sum(axis=0) > 0
    inner = topology.is_switch[topology.sources] & topology.is_switch[topology.targets]
    assert (taken & inner).any()
    np.testing.assert_array_equal(fabric_map.footprint(hosts), taken & inner)


def test_a_box_reaches_round_the_end_of_a_torus() -> None:
    topology = torus((8, 4), nodes_per_switch=2)
    fabric_map = FabricMap(topology)
    hosts = [
        topology.hosts[node]
        for node in range(len(topology.vertices))
        if topology.hosts[node] and tuple(topology.coordinates[node]) in {(7, 1), (0, 1), (1, 2)}
    ]
    shape = fabric_map.shape([*hosts, "elsewhere"])
    assert shape.box is not None
    assert (shape.box.begin, shape.box.lengths, shape.box.nodes) == ((7, 1), (3, 2), 12)
    assert shape.contiguity == 0.5
    assert (shape.nodes, shape.routers, shape.whole_routers) == (6, 3, 3)
    assert shape.unknown == ("elsewhere",)
    assert shape.pieces == 2  # (1, 2) is next to (0, 1) along no dimension
    flat = FabricMap(torus((8, 4), wraps=(False, False), nodes_per_switch=2)).shape(hosts)
    assert flat.box is not None
    assert flat.box.lengths == (8, 2)


def test_hops_of_a_job_are_those_of_every_pair_of_its_nodes() -> None:
    topology = torus((5, 4, 3), nodes_per_switch=2)
    fabric_map = FabricMap(topology)
    hosts = list(np.random.default_rng(1).choice([h for h in topology.hosts if h], 9, False))
    apart = []
    for a, b in itertools.combinations(hosts, 2):
        one, two = (topology.coordinates[fabric_map.router_of[host]] for host in (a, b))
        steps = np.abs(one - two)
        apart.append(int(np.minimum(steps, np.array(topology.sizes) - steps).sum()))
    shape = fabric_map.shape(hosts)
    assert shape.hops == pytest.approx(np.mean(apart))
    assert shape.most_hops == max(apart)


def test_measures_that_mean_nothing_in_a_fabric_are_not_reported() -> None:
    tree = FabricMap(fat_tree(6, 4, 2, cores=2, leaves_per_pod=2)).shape(
        ["node1", "node5", "node9"]
    )
    assert (tree.box, tree.contiguity, tree.pieces) == (None, None, None)
    assert [(part.what, part.number, part.least) for part in tree.touched] == [
        ("leaf", 3, 1),
        ("pod", 2, 1),
    ]
    assert tree.hops == pytest.approx((2 + 4 + 4) / 3)
    fly = FabricMap(dragonfly(4, 3, 2)).shape(["node1", "node3", "node7", "node8"])
    assert fly.contiguity is None
    assert [(part.what, part.number, part.least) for part in fly.touched] == [("group", 2, 1)]
    lone = FabricMap(fat_tree(2, 2, 1)).shape(["node1"])
    assert lone.hops is None


def test_company_counts_each_router_once_and_only_while_it_was_there() -> None:
    topology = torus((8,), nodes_per_switch=2)
    fabric_map = FabricMap(topology)
    own = Stay("own", "fft", 1, ("node1", "node5"), 0, 100)  # switches 0 and 2
    others = [
        Stay("between", "lqcd", 2, ("node3", "node7"), 0, 50),  # switches 1 and 3
        Stay("again", "lqcd", 2, ("node4", "node8"), 0, 50),  # the same switches
        Stay("far", "lqcd", 2, ("node9", "node11"), 0, 100),  # switches 4 and 5
        Stay("alongside", "lqcd", 2, ("node6",), 50, 100),  # on switch 2, alone
        Stay("late", "lqcd", 2, ("node3", "node7"), 100, 200),
    ]
    result = company(fabric_map, own, others)
    by = {each.job: each for each in result.meetings}
    assert list(by)[:2] == ["again", "between"]
    assert "late" not in by
    assert by["between"].shared_links == 2
    assert not by["far"].conflicting
    assert by["alongside"].shared_routers == 1
    assert by["between"].share == 0.5
    assert (result.links, result.conflicting_routers) == (4, 1.0)
    assert (result.shared_routers, result.shared_links) == (0.5, 1.0)


def test_time_in_collectives_is_divided_among_communicators_by_their_bytes() -> None:
    fabric_map = FabricMap(torus((4,)))
    hosts = ["node1", "node1", "node2", "node3"]
    members = {7: np.array([0, 1]), 9: np.array([2, 3]), 0: np.arange(4)}
    given = {7: np.array([30.0, 10, 0, 0]), 0: np.array([10.0, 10, 10, 10])}
    result = communicators(fabric_map, hosts, members, given, np.array([4.0, 4, 6, 2]))
    assert [each.name for each in result] == ["world", "9", "7"]
    by = {each.name: each for each in result}
    assert by["7"].hops == 0
    assert by["7"].seconds == pytest.approx((3 + 2) / 2)
    assert by["9"].seconds is None
    assert by["world"].seconds == pytest.approx((1 + 2 + 6 + 2) / 4)
    assert by["world"].hops == pytest.approx((0 + 1 + 2 + 1 + 2 + 1) / 6)


def test_jobs_that_may_not_be_named_are_one_entry_with_the_same_sums() -> None:
    fabric_map = FabricMap(torus((8,), nodes_per_switch=2))
    own = Stay("own", "fft", 1, ("node1", "node5"), 0, 100)
    others = [
        Stay("a", "lqcd", 2, ("node3", "node7"), 0, 50),
        Stay("b", "lqcd", 3, ("node4", "node8"), 0, 100),
        Stay("c", "cfd", 1, ("node6",), 0, 100),
    ]
    named = company(fabric_map, own, others)
    hidden = company(fabric_map, own, others, hidden=["a", "b"])
    assert {each.job for each in hidden.meetings} == {OTHERS, "c"}
    nobody = next(each for each in hidden.meetings if each.job == OTHERS)
    assert (nobody.program, nobody.user, nobody.nodes) == ("", None, 4)
    assert (nobody.routers, nobody.shared_links) == (2, 2)  # each once
    assert hidden.conflicting_routers == named.conflicting_routers


def run_of(job: str, rate: float | None, alone: bool = False, **measures: float) -> Run:
    shape = Shape(
        "ib",
        "torus",
        2,
        (),
        int(measures.get("routers", 2)),
        2,
        measures.get("hops"),
        None,
        None,
        measures.get("contiguity"),
        None,
        (),
    )
    met = Meeting("x", "lqcd", None, 1.0, 2, 2, 0, 0 if alone else 3)
    met_by = Company((met,), 9, measures.get("conflicting", 0.0), measures.get("shared", 0.0), 0.0)
    same = Range(1.0, 1.0, 1.0)
    return Run(job, 0, 10.0, 2, (job,), rate, None, None, same, same, {}, shape, met_by)


def test_what_is_shared_comes_first_where_measures_explain_equally_much() -> None:
    rates = [5.0, 4.0, 3.0, 2.0, 1.0]
    runs = [
        run_of(f"r{k}", rate, routers=k, hops=float(k), shared=float(k), conflicting=float(k))
        for k, rate in enumerate(rates)
    ]
    keys = [row.key for row in measured(runs)]
    assert keys[:4] == ["conflicting_routers", "shared_routers", "routers", "hops"]
    assert keys[-1] == "shared_links"  # the same in all runs
    worse = [
        run_of(f"r{k}", rate, hops=float(k), conflicting=float(k % 2))
        for k, rate in enumerate(rates)
    ]
    assert measured(worse)[0].key == "hops"


def test_a_program_that_is_there_in_too_few_runs_is_no_suspect() -> None:
    alone = [run_of(f"a{k}", 10.0 + k / 9, alone=True) for k in range(4)]
    alongside = [run_of(f"b{k}", 5.0 + k / 9) for k in range(3)]
    assert not suspects([*alone, *alongside[:2]])
    (result,) = suspects([*alone, *alongside])
    assert result.program == "lqcd"
    assert result.change is not None
    assert result.change[0] == pytest.approx(5.111 / 10.167 - 1, abs=0.001)


def test_pairs_without_neighbours_say_so() -> None:
    (pair,) = informative_pairs([run_of("a", 1.0, alone=True), run_of("b", 2.0, alone=True)], {})
    assert (pair.slow, pair.fast, pair.faster, pair.neighbours_alike) == ("a", "b", 1.0, None)
    assert pair_answer(pair).startswith("b is 2.00 times as fast as a: 0 % of the nodes")
    assert informative_pairs([run_of("a", None), run_of("b", 2.0)], {}) == []


def test_messages_are_what_the_slices_have(tmp_path: Path) -> None:
    injected = plant(tmp_path / "site", Spec(jobs=6, slices=60, length=40), seed=2)
    store = Repository(injected.path)
    job = next(name for name, each in injected.jobs.items() if each.program in ("solver", "fft"))
    ranks, slices = store.messages.ranks([job]), store.job_slices(job)
    assert ranks["rank"].to_pylist() == list(range(ranks.num_rows))
    for column, metric in (
        ("sent_bytes", "mpi_all_to_all_bytes"),
        ("collective_bytes", "mpi_all_to_all_bytes"),
        ("mpi_ns", "state_collective_ns"),
        ("calls_all_to_all_ns", "mpi_all_to_all_ns"),
    ):
        assert sum(ranks[column].to_pylist()) == sum(slices[metric].to_pylist()), column
    over_time = store.messages.slices([job])
    assert sum(over_time["sent_bytes"].to_pylist()) == sum(ranks["sent_bytes"].to_pylist())
    truth = injected.jobs[job]
    alongside = {
        name
        for name, each in injected.jobs.items()
        if each.start_ns < truth.end_ns and each.end_ns > truth.start_ns
    }
    assert set(store.messages.living((truth.start_ns, truth.end_ns))) == alongside
    with pytest.raises(UsageError, match="has no fabric"):
        job_placement(store, job)


def test_every_sending_metric_belongs_to_one_kind_of_messages() -> None:
    p2p, collective = set(messages._P2P_BYTES), set(messages._COLLECTIVE_BYTES)
    assert not p2p & collective
    assert {name for name in messages.MPI_BYTES if "send" in name} == p2p
    assert all("to_" in name or "scan" in name or "neighbor" in name for name in collective)
