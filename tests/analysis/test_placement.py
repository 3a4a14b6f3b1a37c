"""Placement of jobs in fabrics: shapes, hops, footprints and company, against slow plain ways."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jostle.analysis.placement import Ground, Stay, communicators, company
from jostle.network import footprint, routes_of
from jostle.topology import Topology, dragonfly, fat_tree, torus


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
                        link for link in range(len(topology.sources))
                        if topology.sources[link] == at(topology, tuple(now))
                        and topology.link_dimensions[link] == k
                        and topology.link_signs[link] == sign
                    }  # fmt: skip
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


@pytest.mark.parametrize("topology", [fat_tree(4, 3, 2, cores=2, leaves_per_pod=2),
                                      dragonfly(4, 3, 2)])  # fmt: skip
def test_a_footprint_elsewhere_is_what_routes_take(topology: Topology) -> None:
    ground = Ground(topology)
    hosts = [f"node{number}" for number in (1, 2, 4, 11, 12)]
    nodes = np.array([ground.vertex_of[host] for host in hosts])
    pairs = np.array(list(itertools.permutations(nodes, 2)))
    taken = routes_of(topology, *pairs.T).low.sum(axis=0) > 0
    inner = topology.is_switch[topology.sources] & topology.is_switch[topology.targets]
    assert (taken & inner).any()
    np.testing.assert_array_equal(ground.footprint(hosts), taken & inner)


def test_a_box_reaches_round_the_end_of_a_torus() -> None:
    topology = torus((8, 4), nodes_per_switch=2)
    ground = Ground(topology)
    hosts = [topology.hosts[node] for node in range(len(topology.vertices))
             if topology.hosts[node] and tuple(topology.coordinates[node]) in {(7, 1), (0, 1), (1, 2)}]  # fmt: skip  # noqa: E501
    shape = ground.shape([*hosts, "elsewhere"])
    assert shape.box is not None
    assert (shape.box.begin, shape.box.lengths, shape.box.nodes) == ((7, 1), (3, 2), 12)
    assert shape.contiguity == 0.5
    assert (shape.nodes, shape.routers, shape.whole_routers) == (6, 3, 3)
    assert shape.unknown == ("elsewhere",)
    assert shape.pieces == 2  # (1, 2) is next to (0, 1) along no dimension
    flat = Ground(torus((8, 4), wraps=(False, False), nodes_per_switch=2)).shape(hosts)
    assert flat.box is not None
    assert flat.box.lengths == (8, 2)


def test_hops_of_a_job_are_those_of_every_pair_of_its_nodes() -> None:
    topology = torus((5, 4, 3), nodes_per_switch=2)
    ground = Ground(topology)
    hosts = list(np.random.default_rng(1).choice([h for h in topology.hosts if h], 9, False))
    apart = []
    for a, b in itertools.combinations(hosts, 2):
        one, two = (topology.coordinates[ground.router_of[host]] for host in (a, b))
        steps = np.abs(one - two)
        apart.append(int(np.minimum(steps, np.array(topology.sizes) - steps).sum()))
    shape = ground.shape(hosts)
    assert shape.hops == pytest.approx(np.mean(apart))
    assert shape.most_hops == max(apart)


def test_measures_that_mean_nothing_in_a_fabric_are_not_told() -> None:
    tree = Ground(fat_tree(6, 4, 2, cores=2, leaves_per_pod=2)).shape(["node1", "node5", "node9"])
    assert (tree.box, tree.contiguity, tree.pieces) == (None, None, None)
    assert [(part.what, part.number, part.least) for part in tree.touched] == [
        ("leaf", 3, 1), ("pod", 2, 1),
    ]  # fmt: skip
    assert tree.hops == pytest.approx((2 + 4 + 4) / 3)
    fly = Ground(dragonfly(4, 3, 2)).shape(["node1", "node3", "node7", "node8"])
    assert fly.contiguity is None
    assert [(part.what, part.number, part.least) for part in fly.touched] == [("group", 2, 1)]
    lone = Ground(fat_tree(2, 2, 1)).shape(["node1"])
    assert lone.hops is None


def test_company_counts_each_router_once_and_only_while_it_was_there() -> None:
    topology = torus((8,), nodes_per_switch=2)
    ground = Ground(topology)
    own = Stay("own", "fft", 1, ("node1", "node5"), 0, 100)  # switches 0 and 2
    others = [
        Stay("between", "lqcd", 2, ("node3", "node7"), 0, 50),  # switches 1 and 3
        Stay("again", "lqcd", 2, ("node4", "node8"), 0, 50),  # the same switches
        Stay("far", "lqcd", 2, ("node9", "node11"), 0, 100),  # switches 4 and 5
        Stay("beside", "lqcd", 2, ("node6",), 50, 100),  # on switch 2, alone
        Stay("late", "lqcd", 2, ("node3", "node7"), 100, 200),
    ]
    found = company(ground, own, others)
    by = {each.job: each for each in found.meetings}
    assert list(by)[:2] == ["again", "between"]
    assert "late" not in by
    assert by["between"].shared_links == 2
    assert not by["far"].conflicting
    assert by["beside"].shared_routers == 1
    assert by["between"].share == 0.5
    assert (found.links, found.conflicting_routers) == (4, 1.0)
    assert (found.shared_routers, found.shared_links) == (0.5, 1.0)


def test_time_in_collectives_is_divided_among_communicators_by_their_bytes() -> None:
    ground = Ground(torus((4,)))
    hosts = ["node1", "node1", "node2", "node3"]
    members = {7: np.array([0, 1]), 9: np.array([2, 3]), 0: np.arange(4)}
    given = {7: np.array([30.0, 10, 0, 0]), 0: np.array([10.0, 10, 10, 10])}
    found = communicators(ground, hosts, members, given, np.array([4.0, 4, 6, 2]))
    assert [each.name for each in found] == ["world", "9", "7"]
    by = {each.name: each for each in found}
    assert by["7"].hops == 0
    assert by["7"].seconds == pytest.approx((3 + 2) / 2)
    assert by["9"].seconds is None
    assert by["world"].seconds == pytest.approx((1 + 2 + 6 + 2) / 4)
    assert by["world"].hops == pytest.approx((0 + 1 + 2 + 1 + 2 + 1) / 6)
