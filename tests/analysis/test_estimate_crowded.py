"""More ranks than cores: what they take from each other is no interference."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.estimation.account import account
from jostle.analysis.estimation.crowded import crowd

S = 1_000_000_000


def slices(used, queued, processes=4):
    """Slices of a second, with CPU seconds and seconds in the run queue, over all processes."""
    count = len(used)
    return pa.table(
        {
            "slice": np.arange(count),
            "slice_ns": np.full(count, S),
            "count": np.full(count, processes),
            "os_user_ns_sum": (np.asarray(used) * S).astype(np.int64),
            "os_system_ns_sum": np.zeros(count, np.int64),
            "os_runqueue_ns_sum": (np.asarray(queued) * S).astype(np.int64),
        }
    )


def test_ranks_that_share_all_cores_lost_nothing_by_it():
    found = crowd(slices(np.full(20, 1.98), np.full(20, 2.0)))
    assert found is not None
    assert found.cores == pytest.approx(1.98, abs=0.01)
    assert found.processes == 4
    assert found.taken_s.sum() == 0


def test_what_they_use_less_went_to_others():
    used, queued = np.full(20, 1.98), np.full(20, 2.0)
    used[5:9], queued[5:9] = 0.99, 3.0  # a core less for four seconds: half of what there is
    used[12], queued[12] = 1.0, 0.0  # nobody waits: idle, not taken
    found = crowd(slices(used, queued))
    assert found is not None
    np.testing.assert_allclose(found.taken_s[5:9], 0.5, atol=0.01)
    assert found.taken_s.sum() == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize(("used", "queued", "processes"), [
    (np.full(20, 1.97), np.full(20, 0.02), 2),  # a core each
    (np.r_[np.full(15, 1.97), np.full(5, 1.0)], np.r_[np.zeros(15), np.ones(5)], 2),  # a neighbour
    (np.full(20, 1.6), np.full(20, 0.4), 2),  # a neighbour all the time
    (np.full(20, 0.3), np.full(20, 0.01), 4),  # they sleep
    (np.full(3, 1.98), np.full(3, 2.0), 4),  # too short to tell
])  # fmt: skip
def test_with_a_core_each_nothing_is_their_own(used, queued, processes):
    assert crowd(slices(used, queued, processes)) is None


def test_a_launcher_that_wakes_is_no_rank():
    used, queued = np.full(40, 1.98), np.full(40, 2.0)
    used[5:9], queued[5:9] = 0.99, 3.0
    table = slices(used, queued, np.where(np.arange(40) % 10 == 0, 5, 4))
    found = crowd(table)
    assert found is not None and found.processes == 4
    assert found.taken_s.sum() == pytest.approx(2.0, abs=0.05)
    # It is always there: two ranks of their own cores beside a neighbour are not three.
    table = slices(np.full(40, 1.5), np.full(40, 0.5), 3)
    assert crowd(table) is not None
    assert crowd(table, ranks=2) is None


def test_ranks_that_sleep_leave_cores_to_others():
    # Whoever else is on the node, and however large it is.
    random = np.random.default_rng(1)
    assert crowd(slices(random.normal(3.2, 0.2, 40), random.normal(0.6, 0.05, 40), 8)) is None


def test_waiting_for_ones_turn_is_not_the_networks():
    # Bins in which all wait, now these now those, and evenly enough over a segment.
    random = np.random.default_rng(7)
    waits = np.where(random.random((60, 10)) < 0.3, random.uniform(0, 8e6, (60, 10)), 0.0)
    waits[7] = 9e6
    table = pa.table(
        {
            "duration_ns": np.full(60, 100_000_000),
            "bin_ns": np.full(60, 10_000_000),
            "globals": np.full(60, 50),
            "wait_min_bins": pa.array(waits.astype(np.int64).tolist(), pa.list_(pa.int64())),
        }
    )
    kind = np.zeros(60, np.int64)
    alone = account(table, 4, kind)
    shared = account(table, 4, kind, np.full(60, 0.002))
    assert alone.network.sum() > 0.5
    assert shared.network.sum() < 0.2
    assert shared.network[7] > 0.06
    np.testing.assert_allclose(shared.cpu, 0.002)
