"""Loads of links, against sums made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_traffic import SECOND, pairs, ports, whole
from scipy.sparse import csr_array

from jostle.network import link_loads, routes_of
from jostle.network.axis import portions
from jostle.topology import Topology, dragonfly, fat_tree, torus
from jostle.values.traffic import Traffic

TREE = fat_tree(2, 2, 2)


def on(fabric: Topology, loads: csr_array, link: str) -> list[float]:
    return loads.toarray()[:, fabric.link_place[link]].tolist()  # type: ignore[no-any-return]


def test_two_jobs_meet_on_a_link() -> None:
    traffic = pairs(
        [
            ("a", 0, "node1", "node3", 100),
            ("a", 1, "node1", "node3", 50),
            ("b", 1, "node2", "node3", 7),
            ("b", 0, "node2", "node1", 9),
        ]
    )
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


def test_long_spans_are_divided_in_portions_and_absurd_ones_end() -> None:
    table = pairs([("a", 0, "node1", "node3", 800), ("a", 1, "node1", "node3", 8)]).pairs
    long = table.set_column(3, "span", pa.array([8, 2**31 - 1], pa.int32()))
    assert [(part.start, part.stop) for part in portions(long, (0, SECOND, 4), 5)] == [
        (0, 1),
        (1, 2),
    ]
    loads = link_loads(TREE, Traffic(long), (0, SECOND, 4))
    assert on(TREE, loads.low, "node1 > leaf1") == pytest.approx([100] * 4)
    absurd = long.set_column(2, "slice_ns", pa.array([SECOND, 2**62]))
    loads = link_loads(TREE, Traffic(absurd), (0, SECOND, 4))
    assert on(TREE, loads.low, "node1 > leaf1") == pytest.approx([100] * 4)


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
        "rails",
        "fat tree",
        one.vertices + tuple(f"{name}/b" for name in two.vertices),
        one.hosts + two.hosts,
        np.concatenate([one.sources, two.sources + count]),
        np.concatenate([one.targets, two.targets + count]),
        planes=np.repeat([0, 1], count),
        levels=np.concatenate([one.levels, two.levels]),
    )
    loads = link_loads(both, pairs([("a", 0, "node1", "node2", 8)]), (0, SECOND, 1))
    assert on(both, loads.low, "node1 > leaf1") == [4]
    assert on(both, loads.low, "node1/b > leaf1/b") == [4]


def test_adaptive_routes_give_a_range() -> None:
    fabric = dragonfly(3, 2, 1)
    loads = link_loads(fabric, pairs([("a", 0, "node1", "node6", 10)]), (0, SECOND, 1))
    for link, low, high in (
        ("node1 > g0s0", 10, 10),
        ("g0s1 > g2s0", 0, 10),
        ("g0s0 > g1s0", 0, 10),
    ):
        assert on(fabric, loads.low, link) == [low]
        assert on(fabric, loads.high, link) == [high]
    assert on(fabric, loads.jobs["a"], "g0s1 > g2s0") == [10]


def test_nothing_loads_nothing() -> None:
    loads = link_loads(TREE, pairs([]), (0, SECOND, 2))
    assert loads.jobs == {} and loads.low.shape == (2, len(TREE.sources))


GROUP = ("node1", "node1", "node3", "node4")


def test_collectives_are_expanded_and_labelled() -> None:
    # A ring of four ranks on three hosts; each sends 3 blocks of 10 kB to its successor, twice.
    traffic = whole([("a", 0, 0, "Allgather", -1, 8, 80_000)], groups=[GROUP])
    loads = link_loads(TREE, traffic, (0, SECOND, 1))
    assert on(TREE, loads.jobs["a"], "node1 > leaf1") == [60_000]
    assert on(TREE, loads.jobs["a"], "node3 > leaf2") == [60_000]
    assert on(TREE, loads.jobs["a"], "leaf1 > node1") == [60_000]
    assert loads.modelled == {"a": 1} and loads.spread == {"a": 0} and loads.lost == {"a": 0}


def test_size_decides_the_algorithm_slice_by_slice() -> None:
    small, large = 8 * 4, (1 << 20) * 4
    traffic = whole(
        [("a", 0, 0, "Allreduce", -1, 4, small), ("a", 1, 0, "Allreduce", -1, 4, large)],
        groups=[("node1", "node2", "node3", "node4")],
    )
    loads = link_loads(TREE, traffic, (0, SECOND, 2))
    # Recursive doubling: to node2 and node3. A ring: 6 quarters to node2.
    assert on(TREE, loads.jobs["a"], "node1 > leaf1") == [16, 1.5 * (1 << 20)]
    assert on(TREE, loads.jobs["a"], "leaf1 > node1") == [16, 1.5 * (1 << 20)]


def test_unknown_groups_are_lost() -> None:
    traffic = whole(
        [("a", 0, 0, "Bcast", 0, 2, 50), ("c", 0, 1, "Sing", -1, 1, 3)],
        [("b", 0, 0, "node1", 7)],
        groups=[(), GROUP],
    )
    assert link_loads(TREE, traffic, (0, SECOND, 1)).lost == {"a": 50, "b": 7, "c": 3}


def test_what_has_no_partners_is_spread_over_the_other_hosts() -> None:
    traffic = whole(
        spread=[("old", 0, 0, "node1", 90)], groups=[("node1", "node2", "node3", "node4")]
    )
    loads = link_loads(TREE, traffic, (0, SECOND, 1))
    for host in ("node2", "node3", "node4"):
        switch = "leaf1" if host == "node2" else "leaf2"
        assert on(TREE, loads.low, f"{switch} > {host}") == [30]
    assert loads.spread == {"old": 1}


def test_counters_win_over_routes() -> None:
    counted = ports([("leaf1", "up1", 0, 130, 40, 0), ("switches", "leaf2.up1", 0, 5, 125, 0)])
    traffic = pairs([("a", 0, "node1", "node3", 100)])
    loads = link_loads(TREE, traffic, (0, SECOND, 1), counted)
    known = [TREE.link_name(k) for k in np.flatnonzero(loads.is_measured)]
    assert sorted(known) == ["leaf1 > spine1", "leaf2 > spine1", "spine1 > leaf1", "spine1 > leaf2"]
    assert on(TREE, loads.measured, "leaf1 > spine1") == [130]
    assert on(TREE, loads.measured, "spine1 > leaf1") == [40]  # what the other end received
    assert on(TREE, loads.carried, "spine1 > leaf2") == [125]
    assert on(TREE, loads.carried, "node1 > leaf1") == [100]
    assert on(TREE, loads.jobs["a"], "leaf1 > spine1") == [100]


def test_a_node_has_the_counters_of_its_adapter() -> None:
    fabric = fat_tree(1, 2, 1)
    adapters = tuple("mlx5_0" if host else "" for host in fabric.hosts)
    named = replace(fabric, adapters=adapters)
    counted = ports([("node1", "mlx5_0/1", 0, 8, 9, 0), ("node1", "eth0", 0, 1, 1, 0)])
    loads = link_loads(named, pairs([]), (0, SECOND, 1), counted)
    assert on(named, loads.measured, "node1 > leaf1") == [8]
    assert on(named, loads.measured, "leaf1 > node1") == [9]
    assert not link_loads(fabric, pairs([]), (0, SECOND, 1), counted).is_measured.any()


def test_waiting_is_a_part_of_the_time() -> None:
    fabric = replace(TREE, rates=np.full(len(TREE.sources), 32e6))  # a tick is a microsecond
    counted = ports([("leaf1", "up1", 0, 1, 1, 250_000), ("leaf1", "up2", 0, 1, 1, 9_000_000)])
    loads = link_loads(fabric, pairs([]), (0, SECOND, 1), counted)
    assert on(fabric, loads.waiting, "leaf1 > spine1") == [0.25]
    assert on(fabric, loads.waiting, "leaf1 > spine2") == [1]


FABRICS = st.sampled_from(
    [
        torus([3, 4]),
        torus([2, 2, 3], wraps=[False] * 3),
        fat_tree(3, 4, 2),
        replace(fat_tree(3, 4, 2), kind="graph"),
        dragonfly(3, 2, 2),
    ]
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.integers(0, 3),
        st.integers(1, 12).map("node{}".format),
        st.integers(1, 12).map("node{}".format),
        st.integers(0, 1000),
    )
)


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
