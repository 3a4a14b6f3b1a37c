"""Messages of collectives, against the known messages of the algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.network import collectives
from jostle.network.collectives import ALGORITHMS, algorithm_of, between_hosts, even, messages


def sent(operation: str, ranks: int, size: float, root: int = -1) -> dict[tuple[int, int], float]:
    result = messages(operation, ranks, root, size)
    pairs = zip(result.sources.tolist(), result.targets.tolist(), strict=True)
    return dict(zip(pairs, result.bytes.tolist(), strict=True))


def test_ring_allgather_sends_all_blocks_but_one_to_the_successor() -> None:
    assert sent("Allgather", 5, 10_000) == {(k, (k + 1) % 5): 40_000 for k in range(5)}
    assert messages("Allgather", 5, -1, 10_000).messages.tolist() == [4] * 5


def test_bruck_allgather_sends_what_it_has() -> None:
    # 5 ranks: one block to rank - 1, two to rank - 2, the one that is left to rank - 4.
    expected = {
        (k, (k - step) % 5): blocks * 8
        for k in range(5)
        for step, blocks in ((1, 1), (2, 2), (4, 1))
    }
    assert sent("MPI_Allgather", 5, 8) == expected


def test_ring_allreduce_sends_almost_twice_the_vector() -> None:
    size = 4_000_000
    assert sent("Iallreduce", 4, size) == {(k, (k + 1) % 4): size * 6 / 4 for k in range(4)}


def test_recursive_doubling_exchanges_the_vector() -> None:
    pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0), (1, 3), (3, 1)]
    assert sent("Allreduce", 4, 8) == dict.fromkeys(pairs, 8)


def test_ranks_beyond_a_power_of_two_hand_over_and_get_back() -> None:
    assert sent("Allreduce", 3, 8) == {(2, 0): 8, (0, 2): 8, (0, 1): 8, (1, 0): 8}


def test_binomial_broadcast_has_one_message_per_rank_that_is_not_the_root() -> None:
    assert sent("Bcast", 6, 100, root=2) == {
        (2, 3): 100,
        (2, 4): 100,
        (4, 5): 100,
        (2, 0): 100,
        (0, 1): 100,
    }
    assert messages("Bcast", 1000, 0, 1).messages.sum() == 999


def test_binomial_reduction_goes_the_other_way() -> None:
    there = sent("Bcast", 7, 4, root=3)
    assert sent("Reduce", 7, 4, root=3) == {(b, a): size for (a, b), size in there.items()}


def test_binomial_gather_hands_whole_parts_on() -> None:
    # Each rank counts its 10 bytes; rank 2 hands on what is its own and rank 3's.
    assert sent("Gather", 4, 10, root=0) == {(1, 0): 10, (2, 0): 20, (3, 2): 10}


def test_scatter_is_counted_on_the_root_for_all_and_on_the_others_for_themselves() -> None:
    per_rank = (4 * 10 + 3 * 10) / 4
    assert sent("Scatter", 4, per_rank, root=0) == {(0, 1): 10, (0, 2): 20, (2, 3): 10}


def test_pairwise_exchange_sends_a_part_to_everybody() -> None:
    assert sent("Alltoallv", 4, 4000) == {
        (a, b): 1000 for a in range(4) for b in range(4) if a != b
    }


def test_bruck_exchange_sends_half_the_blocks_in_each_step() -> None:
    assert sent("Alltoall", 4, 40) == {(a, (a + step) % 4): 20 for a in range(4) for step in (1, 2)}


def test_scan_exchanges_with_ranks_that_are_there() -> None:
    assert sent("Scan", 3, 8) == {(0, 1): 8, (1, 0): 8, (0, 2): 8, (2, 0): 8}


def test_what_moves_nothing_or_is_not_known_sends_nothing() -> None:
    assert sent("Barrier", 4, 0) == sent("Bcast", 1, 8, root=0) == sent("Sing", 4, 8) == {}


def test_operations_have_one_or_two_algorithms_in_order_of_size() -> None:
    for each in ALGORITHMS:
        assert algorithm_of(each.operation, min(each.below, 1e18)) is each


@given(st.sampled_from(ALGORITHMS), st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data())
def test_hosts_send_what_their_ranks_send(
    algorithm: collectives.Algorithm, hosts: list[int], data: st.DataObject
) -> None:
    root = data.draw(st.integers(-1, len(hosts) - 1))
    size = min(algorithm.below, 1e9)
    expected = np.zeros((5, 5))
    for (a, b), moved in sent(algorithm.operation, len(hosts), size, root).items():
        expected[hosts[a], hosts[b]] += moved
    np.fill_diagonal(expected, 0)
    result = between_hosts(algorithm, np.array(hosts), root)
    moved = np.zeros((5, 5))
    moved[result.sources, result.targets] = result.bytes * size * len(hosts)
    assert moved == pytest.approx(expected)


def test_large_groups_have_fewer_partners_and_send_the_same() -> None:
    source, target, part = even(np.ones(3000, np.int64))
    assert len(source) <= collectives.MOST_PAIRS
    assert (source != target).all()
    assert np.bincount(source, part) == pytest.approx(np.ones(3000))
    assert np.bincount(target, part) == pytest.approx(np.ones(3000))
