"""Our store of segments against the thesis' (docs/adr/0008-segment-store.md)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from index_tree import IndexTree, error, in_groups, profile_time, solver, synthetic

from synth_format import ns_code, ns_value


def test_the_papers_example():
    """Figure 5.7: limit 3, then 11 arrives; the made stream 20 22 36 11."""
    tree = IndexTree(limit=3)
    for value in (20, 22, 36):
        tree.add(value)
    assert tree.values == {20: 1, 22: 2, 36: 3} and tree.order == [1, 2, 3]
    tree.add(11)
    assert tree.halvings == 2
    assert sorted(tree.values) == [2, 5, 9]
    assert tree.order == [1, 1, 2, 3]
    assert tree.decoded() == [20, 20, 36, 8]
    assert max(abs(a - b) for a, b in zip((20, 22, 36, 11), tree.decoded(), strict=True)) < 4


def test_reconstruction():
    """Figure 5.8: trace 1 2 1; values come back in order, whatever group they are in."""
    assert in_groups([1, 2, 1], [40, 60, 30]) == [40, 60, 30]


@given(st.lists(st.integers(0, 2**40), max_size=200), st.integers(2, 16))
def test_the_trees_error_is_below_a_divisor(values, limit):
    tree = IndexTree(limit)
    for value in values:
        tree.add(value)
    assert len(tree.values) <= limit
    assert len(tree.decoded()) == len(values)
    for value, kept in zip(values, tree.decoded(), strict=True):
        assert 0 <= value - kept < 2**tree.halvings


@given(st.integers(0, 2**41))
def test_our_times_lose_less_than_a_part_in_2048(ns):
    kept = profile_time(ns)
    assert kept == ns_value(ns_code(ns))
    assert 0 <= ns - kept <= ns / 2048


def test_errors_on_a_stream_of_segments():
    """The figures of the ADR: 20 000 segments of three kinds."""
    made = synthetic(20_000)
    groups, cpu = made["group"].tolist(), made["cpu_ns"].tolist()
    alone = error(cpu, in_groups([0] * len(cpu), cpu))
    grouped = error(cpu, in_groups(groups, cpu))
    ours = error(cpu, [profile_time(v) for v in cpu])
    print(f"one tree {alone}, by group {grouped}, ours {ours}")
    assert alone[1] > 0.03
    assert grouped[1] > 1 / 1024
    assert ours[1] < 1 / 2048
    size = made["p2p_bytes"].tolist()
    by_bytes = error(size, in_groups(groups, size))
    print(f"bytes by group {by_bytes}; ours are exact")
    assert by_bytes[1] > 1 / 1024


def test_groups_of_a_solver_are_many():
    """Groups are exact counts: each gets trees of its own, so their bound is no bound."""
    found = solver(20_000)
    print(f"{len(set(found))} groups in {len(found)} segments")
    assert len(set(found)) > 1000


def test_the_list_grows_and_our_records_do_not():
    """A byte per feature and arrival, for ever, against levels that rise with the run."""
    tree = IndexTree()
    for value in np.random.default_rng(0).integers(0, 10**9, 5000).tolist():
        tree.add(value)
    assert tree.bytes > 5000
    day = 86_400
    stored = 10_000 * (1 + np.log(day / 500))
    assert stored * 64 < 4.1 * 2**20
