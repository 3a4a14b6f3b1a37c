"""Layouts of fabrics: known properties of regular ones are found from their links alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jostle.topology import LINK_KINDS, Topology, dragonfly, fat_tree, torus
from jostle.topology.builder import Builder
from jostle.topology.layout import lay_out
from jostle.topology.parts import fabrics, select


def bare(topology: Topology) -> Topology:
    """The vertices and links alone."""
    count, links = len(topology.vertices), len(topology.sources)
    return replace(
        topology,
        kind="graph",
        dimensions=(),
        sizes=(),
        wraps=(),
        levels=np.full(count, -1),
        groups=np.full(count, -1),
        coordinates=np.zeros((count, 0), np.int64),
        link_kinds=np.full(links, LINK_KINDS.index("other")),
        link_dimensions=np.full(links, -1),
        link_signs=np.zeros(links, np.int64),
    )


@pytest.mark.parametrize(
    "fabric",
    [
        fat_tree(4, 3, 2),
        fat_tree(4, 2, 2, cores=3, leaves_per_pod=2),
        dragonfly(4, 5, 2),
        dragonfly(3, 3, 1, cables_per_pair=2),
        torus((5, 4, 3)),
        torus((4, 4, 4, 4, 2)),
        torus((4, 3), wraps=(False, False)),
        torus((6, 3), wraps=(True, False), nodes_per_switch=2),
        torus((7,)),
    ],
    ids=lambda fabric: f"{fabric.kind} {len(fabric.vertices)}",
)
def test_regular_fabrics_are_found_again(fabric: Topology) -> None:
    again = lay_out(bare(fabric))
    assert again.kind == fabric.kind
    assert again.link_kinds.tolist() == fabric.link_kinds.tolist()
    if fabric.sizes:  # dimensions are found by the ports
        wraps = [joined and n > 2 for joined, n in zip(fabric.wraps, fabric.sizes, strict=True)]
        assert (again.sizes, list(again.wraps)) == (fabric.sizes, wraps)
        assert again.coordinates.tolist() == fabric.coordinates.tolist()
        longer = np.array(fabric.sizes)[fabric.link_dimensions] > 2
        assert again.link_signs[longer].tolist() == fabric.link_signs[longer].tolist()
    elif fabric.kind == "dragonfly":
        assert again.groups.tolist() == fabric.groups.tolist()
    else:
        assert again.levels.tolist() == fabric.levels.tolist()


def test_a_spine_with_a_few_nodes_is_a_spine() -> None:
    builder = Builder()
    leaves = [builder.vertex(f"leaf{k}") for k in range(4)]
    spines = [builder.vertex(f"spine{k}") for k in range(2)]
    for leaf in leaves:
        for k in range(8):
            name = f"n{leaf}-{k}"
            builder.cable(builder.vertex(name, name), leaf)
        for spine in spines:
            builder.cable(leaf, spine)
    builder.cable(builder.vertex("manager", "manager"), spines[0])
    (fabric,) = fabrics(builder.build("fabric"))
    assert fabric.kind == "fat tree" and fabric.levels[fabric.place["spine0"]] == 2
    assert fabric.notes == ("Nodes are attached to switches above the leaves: spine0.",)


def test_a_missing_global_link_is_said_and_odd_links_make_a_graph() -> None:
    whole = dragonfly(4, 4, 1)
    lost = whole.link_place["g0s0 > g1s0"], whole.link_place["g1s0 > g0s0"]
    keep = np.setdiff1d(np.arange(len(whole.sources)), lost)
    by_link = (
        "sources",
        "targets",
        "rates",
        "lanes",
        "link_kinds",
        "link_dimensions",
        "link_signs",
    )
    less = replace(
        whole,
        **{name: getattr(whole, name)[keep] for name in by_link},
        source_ports=("",) * len(keep),
        target_ports=("",) * len(keep),
    )
    assert "No link joins the groups 0 and 1." in lay_out(less).notes  # its groups are given
    assert lay_out(bare(less)).kind == "graph"  # nobody says what the groups are


def test_a_dragonfly_with_few_links_missing_is_found() -> None:
    whole = dragonfly(7, 6, 1)
    less = without(without(whole, "g2s1", "g2s4"), "g0s0", "g1s0")
    again = lay_out(bare(less))
    assert again.kind == "dragonfly" and again.groups.tolist() == whole.groups.tolist()
    assert again.notes[1:] == (
        "1 links within groups are missing.",
        "No link joins the groups 0 and 1.",
    )


def without(topology: Topology, *ends: str) -> Topology:
    """The fabric without the links between two vertices, or without one vertex."""
    gone = [topology.place[end] for end in ends]
    if len(gone) == 1:
        return select(topology, np.arange(len(topology.vertices)) != gone[0])
    lost = np.isin(topology.sources, gone) & np.isin(topology.targets, gone)
    names = ("sources", "targets", "rates", "lanes", "link_kinds", "link_dimensions", "link_signs")
    ports = {
        name: tuple(np.array(getattr(topology, name))[~lost].tolist())
        for name in ("source_ports", "target_ports")
    }
    return replace(topology, **{name: getattr(topology, name)[~lost] for name in names}, **ports)


def test_a_torus_with_a_broken_link_or_switch_is_a_torus() -> None:
    whole = torus((5, 4, 3))
    lame = lay_out(bare(without(whole, "s0-0-0", "s1-0-0")))
    assert (lame.sizes, lame.wraps) == ((5, 4, 3), (True,) * 3)
    assert lame.coordinates.tolist() == whole.coordinates.tolist()
    assert lame.notes[0] == "1 links to a neighbour are missing."
    (lame,) = fabrics(bare(without(whole, "s2-1-1")))
    assert lame.sizes == (5, 4, 3) and lame.notes[0] == "6 links to a neighbour are missing."
    ring = lay_out(bare(without(torus((6,)), "s0", "s5")))
    assert (ring.kind, ring.sizes) == ("mesh", (6,))  # indistinguishable from one


def test_what_is_linked_to_nothing_is_left_out_and_said() -> None:
    builder = Builder()
    builder.cable(builder.vertex("a", "a"), builder.vertex("s"))
    builder.vertex("spare")
    builder.vertex("off", "off")
    (fabric,) = fabrics(builder.build("fabric"))
    assert set(fabric.vertices) == {"a", "s"} and "left out: spare." in fabric.notes[0]
    assert fabric.notes[1] == "1 nodes are linked to nothing and were left out: off."


def test_two_nodes_joined_by_a_cable_are_a_graph() -> None:
    builder = Builder()
    builder.cable(builder.vertex("a", "a"), builder.vertex("b", "b"))
    (fabric,) = fabrics(builder.build("fabric"))
    assert fabric.kind == "graph" and fabric.adapters_of == {"a": (0,), "b": (1,)}
