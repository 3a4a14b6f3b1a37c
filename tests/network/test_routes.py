"""Routes of pairs in each kind of fabric, against routes written down by hand."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.network import routes_of
from jostle.topology import Topology, dragonfly, fat_tree, torus


def route(fabric: Topology, source: str, target: str, *, high: bool = False) -> dict[str, float]:
    """Return the links of one pair, and the part of its traffic that each of them carries."""
    ends = np.array([fabric.place[source]]), np.array([fabric.place[target]])
    routes = routes_of(fabric, *ends)
    row = (routes.high if high else routes.low).toarray()[0]
    return {fabric.link_name(k): round(float(row[k]), 6) for k in np.flatnonzero(row)}


def whole(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


def test_torus_goes_dimension_by_dimension_the_shorter_way() -> None:
    fabric = torus([5, 3])
    assert route(fabric, "node1", "node12") == whole(
        "node1 > s0-0", "s0-0 > s4-0", "s4-0 > s3-0", "s3-0 > s3-2", "s3-2 > node12"
    )


def test_torus_divides_two_ways_of_one_length() -> None:
    fabric = torus([4])
    assert route(fabric, "node1", "node3") == whole("node1 > s0", "s2 > node3") | {
        "s0 > s1": 0.5,
        "s1 > s2": 0.5,
        "s0 > s3": 0.5,
        "s3 > s2": 0.5,
    }


def test_torus_of_two_places_has_one_cable() -> None:
    assert route(torus([2]), "node1", "node2") == whole("node1 > s0", "s0 > s1", "s1 > node2")


def test_mesh_does_not_go_round() -> None:
    fabric = torus([4], wraps=[False])
    assert route(fabric, "node4", "node1") == whole(
        "node4 > s3", "s3 > s2", "s2 > s1", "s1 > s0", "s0 > node1"
    )


def test_torus_with_a_broken_cable_takes_shortest_ways() -> None:
    fabric = torus([3, 3])
    broken = fabric.link_place["s0-0 > s1-0"]
    keep = np.arange(len(fabric.sources)) != broken
    columns = (
        "sources",
        "targets",
        "rates",
        "lanes",
        "link_kinds",
        "link_dimensions",
        "link_signs",
    )
    less = replace(
        fabric,
        source_ports=(),
        target_ports=(),
        **{name: getattr(fabric, name)[keep] for name in columns},
    )
    pairs = np.array([less.place["node1"]]), np.array([less.place["node4"]])
    routes = routes_of(less, *pairs)
    assert routes.reached.all() and routes.other.all()
    assert routes.hops[0] == 4


def test_fat_tree_takes_the_spine_of_the_destination() -> None:
    fabric = fat_tree(2, 2, 2)
    assert route(fabric, "node1", "node3") == whole(
        "node1 > leaf1", "leaf1 > spine1", "spine1 > leaf2", "leaf2 > node3"
    )
    assert route(fabric, "node1", "node4") == whole(
        "node1 > leaf1", "leaf1 > spine2", "spine2 > leaf2", "leaf2 > node4"
    )
    assert route(fabric, "node1", "node2") == whole("node1 > leaf1", "leaf1 > node2")


def test_three_levels_spread_destinations_over_spines_then_cores() -> None:
    fabric = fat_tree(4, 2, 2, cores=2, leaves_per_pod=2)
    assert route(fabric, "node1", "node7") == whole(  # number 6: spine 6 % 2, core 6 // 2 % 2
        "node1 > leaf1",
        "leaf1 > spine1",
        "spine1 > core2",
        "core2 > spine3",
        "spine3 > leaf4",
        "leaf4 > node7",
    )


def test_forwarding_tables_come_before_rules() -> None:
    fabric = fat_tree(2, 2, 2)
    tables = {fabric.place[name]: np.full(len(fabric.vertices), -1) for name in ("leaf1", "spine2")}
    tables[fabric.place["leaf1"]][fabric.place["node3"]] = fabric.link_place["leaf1 > spine2"]
    tables[fabric.place["spine2"]][fabric.place["node3"]] = fabric.link_place["spine2 > leaf2"]
    known = replace(fabric, forwarding=tables)
    assert route(known, "node1", "node3") == whole(
        "node1 > leaf1", "leaf1 > spine2", "spine2 > leaf2", "leaf2 > node3"
    )
    # No table knows node4: shortest ways, divided evenly.
    assert route(known, "node1", "node4")["leaf1 > spine1"] == 0.5


def test_a_circle_in_the_tables_ends() -> None:
    fabric = fat_tree(2, 2, 2)
    goal = fabric.place["node3"]
    tables = {fabric.place[name]: np.full(len(fabric.vertices), -1) for name in ("leaf1", "spine2")}
    tables[fabric.place["leaf1"]][goal] = fabric.link_place["leaf1 > spine2"]
    tables[fabric.place["spine2"]][goal] = fabric.link_place["spine2 > leaf1"]
    assert route(replace(fabric, forwarding=tables), "node1", "node3")["leaf2 > node3"] == 1


def test_dragonfly_goes_local_global_local() -> None:
    fabric = dragonfly(3, 2, 1)  # g0s0 - g1s0, g0s1 - g2s0, g1s1 - g2s1
    assert route(fabric, "node1", "node6") == whole(
        "node1 > g0s0", "g0s0 > g0s1", "g0s1 > g2s0", "g2s0 > g2s1", "g2s1 > node6"
    )


def test_valiant_goes_by_every_other_group() -> None:
    fabric = dragonfly(3, 2, 1)
    assert route(fabric, "node1", "node6", high=True) == whole(
        "node1 > g0s0", "g0s0 > g1s0", "g1s0 > g1s1", "g1s1 > g2s1", "g2s1 > node6"
    )


def test_valiant_divides_over_groups() -> None:
    fabric = dragonfly(4, 3, 1)
    high = route(fabric, "node1", "node4", high=True)
    between = {name: part for name, part in high.items() if name[:2] != name.partition("> ")[2][:2]}
    between = {name: part for name, part in between.items() if "node" not in name}
    assert len(between) == 4 and set(between.values()) == {0.5}


def test_graph_divides_evenly_at_each_switch() -> None:
    fabric = replace(fat_tree(2, 1, 4), kind="graph")
    parts = route(fabric, "node1", "node2")
    assert parts["leaf1 > spine3"] == parts["spine3 > leaf2"] == 0.25


def test_a_torus_whose_links_lead_elsewhere_is_walked_to_an_end() -> None:
    fabric = torus([5])
    wrong = replace(fabric, link_signs=-fabric.link_signs)
    pair = np.array([wrong.place["node1"]]), np.array([wrong.place["node2"]])
    routes = routes_of(wrong, *pair)
    assert routes.reached.all() and routes.hops[0] >= 3


def test_routes_are_kept_as_long_as_their_fabric_and_no_longer() -> None:
    fabric = torus([5])
    pairs = [
        (np.array([fabric.place["node1"]]), np.array([fabric.place[f"node{k}"]]))
        for k in range(2, 6)
    ] * 3
    with ThreadPoolExecutor(4) as pool:
        routes = list(pool.map(routes_of, [fabric] * len(pairs), *zip(*pairs, strict=True)))
    assert routes_of(fabric, *pairs[-1]) is routes_of(fabric, *pairs[-1])
    assert [float(each.hops[0]) for each in routes] == [3, 4, 4, 3] * 3
    alive = weakref.ref(fabric)
    del fabric
    gc.collect()
    assert alive() is None


def test_no_route_is_reported() -> None:
    fabric = fat_tree(1, 2, 1)
    alone = Topology(
        "alone",
        "fat tree",
        fabric.vertices,
        fabric.hosts,
        fabric.sources[:0],
        fabric.targets[:0],
        levels=fabric.levels,
    )
    pair = np.array([alone.place["node1"]]), np.array([alone.place["node2"]])
    assert not routes_of(alone, *pair).reached.any()


def distance(fabric: Topology, source: int, target: int) -> int | None:
    """Return the shortest route by an independent search; nodes forward nothing. None: no route."""
    seen, queue = {source}, deque([(source, 0)])
    while queue:
        at, hops = queue.popleft()
        if at == target:
            return hops
        if at != source and fabric.hosts[at]:
            continue
        for end in fabric.targets[fabric.sources == at].tolist():
            if end not in seen:
                seen.add(end)
                queue.append((end, hops + 1))
    return None


FABRICS = st.one_of(
    st.builds(torus, st.lists(st.integers(1, 4), min_size=1, max_size=3)),
    st.builds(fat_tree, st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)),
    st.builds(
        lambda pods, leaves, cores: fat_tree(
            pods * leaves, 2, 2, cores=cores, leaves_per_pod=leaves
        ),
        st.integers(1, 3),
        st.integers(1, 2),
        st.integers(1, 3),
    ),
)


@settings(deadline=None, max_examples=40)
@given(FABRICS)
def test_ways_are_as_long_as_the_shortest(fabric: Topology) -> None:
    nodes = np.flatnonzero(~fabric.is_switch)
    a, b = (ends.ravel() for ends in np.meshgrid(nodes, nodes))
    routes = routes_of(fabric, a, b)
    assert routes.reached.all() and not routes.other.any()
    expected = [distance(fabric, *pair) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert routes.hops == pytest.approx(expected)
    ends_well(fabric, a, b, routes.low.toarray())


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.data())
def test_any_graph_is_walked_by_shortest_ways(switches: int, data: st.DataObject) -> None:
    place = st.integers(0, switches - 1)
    homes = data.draw(st.lists(place, min_size=2, max_size=4))
    cables = data.draw(st.lists(st.tuples(place, place).filter(lambda ends: ends[0] != ends[1])))
    cables += [(switches + number, home) for number, home in enumerate(homes)]
    ends = np.array([*cables, *(cable[::-1] for cable in cables)])
    names = [*(f"s{k}" for k in range(switches)), *(f"n{k}" for k in range(len(homes)))]
    hosts = [name if name[0] == "n" else "" for name in names]
    fabric = Topology("any", "graph", tuple(names), tuple(hosts), ends[:, 0], ends[:, 1])
    nodes = np.arange(switches, len(names))
    a, b = (values.ravel() for values in np.meshgrid(nodes, nodes))
    routes = routes_of(fabric, a, b)
    for number, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        expected = distance(fabric, *pair)
        assert routes.reached[number] == (expected is not None)
        assert routes.hops[number] == pytest.approx(expected or 0)
    kept = np.flatnonzero(routes.reached)
    ends_well(fabric, a[kept], b[kept], routes.low.toarray()[kept])


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2))
def test_detours_begin_and_end_right(groups: int, switches: int, nodes: int, cables: int) -> None:
    fabric = dragonfly(groups, switches, nodes, cables_per_pair=cables)
    places = np.flatnonzero(~fabric.is_switch)
    a, b = (ends.ravel() for ends in np.meshgrid(places, places))
    routes = routes_of(fabric, a, b)
    assert routes.reached.all()
    ends_well(fabric, a, b, routes.low.toarray())
    ends_well(fabric, a, b, routes.high.toarray())
    crosses = fabric.groups[fabric.sources] != fabric.groups[fabric.targets]
    assert (routes.low.toarray()[:, crosses].sum(axis=1) < 1.001).all()
    assert (routes.high.toarray()[:, crosses].sum(axis=1) < 2.001).all()


def ends_well(fabric: Topology, a: np.ndarray, b: np.ndarray, parts: np.ndarray) -> None:
    """Assert that at each vertex as much comes in as goes out, but for the pair's two ends."""
    gain = np.zeros((len(a), len(fabric.vertices)))
    for link, (source, target) in enumerate(zip(fabric.sources, fabric.targets, strict=True)):
        gain[:, target] += parts[:, link]
        gain[:, source] -= parts[:, link]
    gain[np.arange(len(a)), a] += 1
    gain[np.arange(len(b)), b] -= 1
    assert np.abs(gain).max() < 1e-4
