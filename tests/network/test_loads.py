"""Loads of links, against sums made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from synth_traffic import SECOND, pairs

from jostle.network import link_loads, routes_of
from jostle.topology import Topology, dragonfly, fat_tree, torus

TREE = fat_tree(2, 2, 2)


def on(fabric: Topology, loads: csr_array, link: str) -> list[float]:
    return loads.toarray()[:, fabric.link_place[link]].tolist()  # type: ignore[no-any-return]


def test_two_jobs_meet_on_a_link() -> None:
    traffic = pairs([("a", 0, "node1", "node3", 100), ("a", 1, "node1", "node3", 50),
                     ("b", 1, "node2", "node3", 7), ("b", 0, "node2", "node1", 9)])  # fmt: skip
    loads = link_loads(TREE, traffic, (0, SECOND, 3))
    assert on(TREE, loads.jobs["a"], "leaf1 > spine1") == [100, 50, 0]
    assert on(TREE, loads.jobs["b"], "leaf1 > spine1") == [0, 7, 0]
    assert on(TREE, loads.low, "leaf1 > spine1") == [100, 57, 0]
    assert on(TREE, loads.low, "leaf1 > node1") == [9, 0, 0]
    assert loads.high is loads.low


def test_slices_are_divided_in_proportion_to_time() -> None:
    traffic = pairs([("a", 1, "node1", "node3", 100)], 4 * SECOND)  # from 4 s to 8 s
    loads = link_loads(TREE, traffic, (5 * SECOND, 2 * SECOND, 2))
    assert on(TREE, loads.low, "node1 > leaf1") == [50, 25]


def test_what_is_not_in_the_fabric_is_lost_and_what_stays_on_a_host_is_not() -> None:
    traffic = pairs([("a", 0, "node1", "elsewhere", 5), ("a", 0, "node1", "node1", 3)])
    loads = link_loads(TREE, traffic, (0, SECOND, 1))
    assert loads.lost == {"a": 5} and loads.low.nnz == 0


def test_a_domain_does_not_hide_a_host() -> None:
    traffic = pairs([("a", 0, "node1.site.org", "node3", 5)])
    assert on(TREE, link_loads(TREE, traffic, (0, SECOND, 1)).low, "node1 > leaf1") == [5]


def test_adapters_share_by_plane() -> None:
    one, two = fat_tree(1, 2, 1), fat_tree(1, 2, 1)
    count = len(one.vertices)
    both = Topology(
        "rails", "fat tree",
        one.vertices + tuple(f"{name}/b" for name in two.vertices), one.hosts + two.hosts,
        np.concatenate([one.sources, two.sources + count]),
        np.concatenate([one.targets, two.targets + count]),
        planes=np.repeat([0, 1], count), levels=np.concatenate([one.levels, two.levels]),
    )  # fmt: skip
    loads = link_loads(both, pairs([("a", 0, "node1", "node2", 8)]), (0, SECOND, 1))
    assert on(both, loads.low, "node1 > leaf1") == [4]
    assert on(both, loads.low, "node1/b > leaf1/b") == [4]


def test_adaptive_routes_give_a_range() -> None:
    fabric = dragonfly(3, 2, 1)
    loads = link_loads(fabric, pairs([("a", 0, "node1", "node6", 10)]), (0, SECOND, 1))
    for link, low, high in (("node1 > g0s0", 10, 10), ("g0s1 > g2s0", 0, 10),
                            ("g0s0 > g1s0", 0, 10)):  # fmt: skip
        assert on(fabric, loads.low, link) == [low]
        assert on(fabric, loads.high, link) == [high]
    assert on(fabric, loads.jobs["a"], "g0s1 > g2s0") == [10]


def test_nothing_loads_nothing() -> None:
    loads = link_loads(TREE, pairs([]), (0, SECOND, 2))
    assert loads.jobs == {} and loads.low.shape == (2, len(TREE.sources))


FABRICS = st.sampled_from(
    [torus([3, 4]), torus([2, 2, 3], wraps=[False] * 3), fat_tree(3, 4, 2),
     replace(fat_tree(3, 4, 2), kind="graph"), dragonfly(3, 2, 2)]
)  # fmt: skip
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]), st.integers(0, 3),
        st.integers(1, 12).map("node{}".format), st.integers(1, 12).map("node{}".format),
        st.integers(0, 1000),
    )
)  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(FABRICS, ROWS)
def test_each_byte_is_counted_once_per_hop(
    fabric: Topology, rows: list[tuple[str, int, str, str, int]]
) -> None:
    loads = link_loads(fabric, pairs(rows), (0, SECOND, 4))
    expected = 0.0
    for _, _, source, target, moved in rows:
        ends = np.array([fabric.place[source]]), np.array([fabric.place[target]])
        expected += moved * float(routes_of(fabric, *ends).hops[0])
    total = sum(float(load.sum()) for load in loads.jobs.values())
    assert total == pytest.approx(expected, rel=1e-4)
    assert not any(loads.lost.values())
