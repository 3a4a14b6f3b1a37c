"""Zones of a fabric, and which of them two jobs share, against lists by hand."""

from __future__ import annotations

import pytest
from link_traffic import SECOND, pairs

from jostle.network import link_loads, shared_links, shared_routers, zone_links
from jostle.topology import Topology, TopologyError, dragonfly, fat_tree, torus

TREE = fat_tree(4, 1, 2, cores=1, leaves_per_pod=2)


def names(fabric: Topology, zone: str) -> set[str]:
    return {fabric.link_name(k) for k in zone_links(fabric, zone).nonzero()[0]}


def test_a_switch_has_the_links_that_begin_or_end_there() -> None:
    there = {"leaf1 > spine1", "leaf1 > spine2", "leaf1 > node1"}
    back = {" > ".join(name.split(" > ")[::-1]) for name in there}
    assert names(TREE, "switch:leaf1") == there | back


def test_a_subtree_has_all_links_below_and_those_out_of_it() -> None:
    inside = names(TREE, "subtree:spine1")
    assert {"leaf1 > node1", "node2 > leaf2", "leaf2 > spine2", "spine1 > core1"} <= inside
    assert not inside & {"leaf3 > node3", "spine2 > core1", "spine3 > core1"}


def test_groups_links_and_planes() -> None:
    fabric = dragonfly(3, 1, 1)
    assert names(fabric, "group:1") == {
        "g1s0 > node2",
        "node2 > g1s0",
        "g0s0 > g1s0",
        "g1s0 > g0s0",
        "g1s0 > g2s0",
        "g2s0 > g1s0",
    }
    assert names(fabric, "link:g0s0 > g1s0") == {"g0s0 > g1s0"}
    assert len(names(fabric, "plane:0")) == len(fabric.sources)


@pytest.mark.parametrize(
    "zone",
    [
        "",
        "switch",
        "switch:nobody",
        "switch:node1",
        "group:x",
        "group:-1",
        "plane:7",
        "link:leaf1 > leaf2",
        "subtree:",
        "rack:1",
        "group:²",
        f"group:{10**30}",
    ],
)
def test_an_unknown_zone_is_reported_with_the_known_ones(zone: str) -> None:
    with pytest.raises(TopologyError) as error:
        zone_links(TREE, zone)
    assert f"`{zone}`" in str(error.value)
    assert "switch:NAME (leaf1, leaf2, leaf3, leaf4, spine1, spine2, spine3, spine4, …)" in (
        error.value.hint or ""
    )


def test_two_jobs_share_a_link_only_while_both_send() -> None:
    fabric = fat_tree(2, 2, 1)
    loads = link_loads(
        fabric,
        pairs(
            [
                ("a", 0, "node1", "node3", 60),
                ("a", 1, "node1", "node2", 40),
                ("b", 0, "node2", "node4", 10),
                ("b", 1, "node2", "node4", 30),
                ("c", 2, "node2", "node4", 1),
            ]
        ),
        (0, SECOND, 3),
    )
    shared = shared_links(loads, "a", "b")
    found = {
        fabric.link_name(k): (x, y)
        for k, x, y in zip(shared.places, shared.first, shared.second, strict=True)
    }
    assert found == {"leaf1 > spine1": (0.6, 0.25), "spine1 > leaf2": (0.6, 0.25)}
    routers = shared_routers(loads, "a", "b")
    assert {
        fabric.vertices[k]: (x, y)
        for k, x, y in zip(routers.places, routers.first, routers.second, strict=True)
    } == {"leaf1": (1.0, 1.0), "leaf2": (0.6, 0.25)}
    assert not len(shared_links(loads, "a", "c").places)
    assert not len(shared_links(loads, "a", "nobody").places)


def test_zones_of_a_torus_are_its_switches_and_links() -> None:
    fabric = torus([2, 2])
    with pytest.raises(TopologyError, match="no zone"):
        zone_links(fabric, "subtree:x")
    assert "s0-0 > s1-0" in names(fabric, "switch:s1-0")
