"""More ranks than cores: time that ranks take from each other is no interference."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.estimation.account import SharedCores, account
from jostle.analysis.estimation.jostle import _idle
from jostle.analysis.estimation.oversubscribed import Crowd, Together, crowd, together

S = 1_000_000_000


def slices(used, queued, processes=4, voluntary=0):
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
            "os_voluntary_switches_sum": np.broadcast_to(voluntary, count),
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


def test_ranks_that_sleep_while_they_start_had_nothing_taken():
    used, queued, switches = np.full(20, 1.98), np.full(20, 2.0), np.zeros(20, np.int64)
    used[0], queued[0], switches[0] = 0.7, 0.7, 4000
    found = crowd(slices(used, queued, voluntary=switches))
    assert found is not None and found.taken_s.sum() == 0
    # A hypervisor that stops a core: ranks neither run nor wait, but did not go of themselves.
    found = crowd(slices(used, queued))
    assert found is not None and found.taken_s[0] > 0.3


@pytest.mark.parametrize(
    ("used", "queued", "processes"),
    [
        (np.full(20, 1.97), np.full(20, 0.02), 2),  # a core each
        (
            np.r_[np.full(15, 1.97), np.full(5, 1.0)],
            np.r_[np.zeros(15), np.ones(5)],
            2,
        ),  # a neighbour
        (np.full(20, 1.6), np.full(20, 0.4), 2),  # a neighbour all the time
        (np.full(20, 0.3), np.full(20, 0.01), 4),  # they sleep
        (np.full(3, 1.98), np.full(3, 2.0), 4),  # too short to decide
    ],
)
def test_with_a_core_each_nothing_is_their_own(used, queued, processes):
    assert crowd(slices(used, queued, processes)) is None


def test_a_launcher_that_wakes_is_no_rank():
    used, queued = np.full(40, 1.98), np.full(40, 2.0)
    used[5:9], queued[5:9] = 0.99, 3.0
    table = slices(used, queued, np.where(np.arange(40) % 10 == 0, 5, 4))
    found = crowd(table)
    assert found is not None and found.processes == 4
    assert found.taken_s.sum() == pytest.approx(2.0, abs=0.05)
    # It is always there: two ranks of their own cores alongside a neighbour are not three.
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
    shared = account(table, 4, kind, SharedCores(np.full(60, 0.002)))
    assert alone.network.sum() > 0.5
    assert shared.network.sum() < 0.2
    assert shared.network[7] > 0.06
    np.testing.assert_allclose(shared.cpu, 0.002)


def waiting(shares):
    """Segments of 100 ms: of each bin of 10 ms the share that all ranks waited in."""
    shares = np.asarray(shares, dtype=float)
    return pa.table(
        {
            "duration_ns": np.full(len(shares), 10 * shares.shape[1] * 1_000_000),
            "bin_ns": np.full(len(shares), 10_000_000),
            "globals": np.full(len(shares), 50),
            "wait_min_bins": pa.array(
                (shares * 1e7).astype(np.int64).tolist(), pa.list_(pa.int64())
            ),
        }
    )


def test_that_all_wait_longer_than_turns_explain_is_lost_however_often():
    # Delays of 40 ms in nine of ten segments: what is usual of segments is made of them.
    random = np.random.default_rng(3)
    shares = random.uniform(0.1, 0.4, (60, 10))
    for number, segment in enumerate(shares):
        segment[: 4 * (number % 10 > 0)] = 1.0
    kind = np.zeros(60, np.int64)
    found = account(waiting(shares), 4, kind, SharedCores(np.zeros(60), turns=0.5))
    truth = 0.04 * 54
    assert found.network.sum() == pytest.approx(truth, rel=0.1)
    # Eight ranks on two cores wait three quarters of their time by themselves.
    busy = random.uniform(0.5, 0.75, (60, 10))
    assert account(waiting(busy), 8, kind, SharedCores(np.zeros(60), turns=0.75)).network.sum() == 0


def test_a_wait_for_a_core_that_others_have_is_lost_once():
    # Others have half of the cores for two segments: whoever waits for one makes all wait in MPI.
    shares = np.full((40, 10), 0.2)
    shares[[7, 21]] = 0.6
    taken = np.zeros(40)
    taken[[7, 21]] = 0.05
    found = account(waiting(shares), 4, np.zeros(40, np.int64), SharedCores(taken, turns=0.5))
    np.testing.assert_allclose(found.cpu, taken)
    np.testing.assert_allclose((found.network + found.cpu)[[7, 21]], 0.05, atol=0.005)


@pytest.mark.parametrize(("in_mpi", "nodes", "most"), [(10, 1, 0), (12, 1, 10), (12, 2, 0)])
def test_what_cores_did_not_compute_may_be_lost(in_mpi, nodes, most):
    """Eight ranks on two cores: of each 2 s they compute 4 or 2 s, of 4 that the cores have."""
    waited = {"mpi_ns": np.full(10, in_mpi * S), "offcpu_ns": np.full(10, 2 * S)}
    world = SimpleNamespace(segments=pa.table(waited), ranks=range(8))
    here = SimpleNamespace(crowds={"a": Crowd(2.0, 8, np.zeros(1))}, hosts=list("ab"[:nodes]))
    costs = SimpleNamespace(
        evidence=here, duration=np.full(10, 2.0), start=np.arange(10) * 2 * S, all_waiting=None
    )
    assert _idle(world, costs) == pytest.approx(most)
    # Unless ranks saw themselves when all waited: then that is in the loss.
    costs.all_waiting = Together(np.array([10 * S]), np.array([20 * S]), np.zeros(1))
    assert _idle(world, costs) == pytest.approx(most / 2)


def seen(*nodes, at=0):
    """Slices of a second; of each node the ms in which all of its ranks were in MPI."""
    rows = [
        (at + number, host, ms)
        for host, reported in zip("abc", nodes, strict=False)
        for number, ms in enumerate(reported)
    ]
    number, host, ms = zip(*sorted(rows), strict=True)
    return pa.table(
        {
            "slice": np.array(number),
            "slice_ns": np.full(len(ms), S),
            "host": list(host),
            "wait_all_ns_sum": np.array(ms) * 1_000_000,
        }
    )


def test_when_all_ranks_waited_follows_from_when_they_looked():
    found = together(seen([0, 0, 300, 0, 20], at=1000), 1000 * S, 1005 * S)
    assert found is not None
    assert (found.begin // S).tolist() == [1002, 1003, 1004]
    assert (found.until // S).tolist() == [1003, 1004, 1005]
    np.testing.assert_allclose(found.seconds, [0.3, 0, 0.02])
    # Of the run alone.
    found = together(seen([9, 9, 300, 500, 20]), int(2.5 * S), int(3.25 * S))
    assert found is not None
    assert found.begin.tolist() == [2.5 * S, 3 * S] and found.until.tolist() == [3 * S, 3.25 * S]
    np.testing.assert_allclose(found.seconds, [0.3, 0.25])


def test_a_long_stretch_is_booked_where_it_ends_and_was_before():
    found = together(seen([10, 0, 0, 2400, 100]), 0, 5 * S)
    assert found is not None
    np.testing.assert_allclose(found.seconds, [0.01, 0.4, 1, 1, 0.1])


def test_when_all_waited_is_not_known():
    assert together(seen([0, 0, 0]), 0, 3 * S) is None  # an older profile
    assert together(seen([5, 0, 0]), 5 * S, 6 * S) is None  # it was after the run
    assert together(seen([5, 5], [5, 5]), 0, 2 * S) is None  # they may wait for the other node
    mixed = pa.table(
        {"slice": [0, 1], "slice_ns": [S, 2 * S], "host": ["a", "a"], "wait_all_ns_sum": [5, 5]}
    )
    assert together(mixed, 0, 3 * S) is None


def placed(shares):
    """As waiting, one after another, from 0."""
    table = waiting(shares)
    end = np.cumsum(table["duration_ns"].to_numpy())
    start = end - table["duration_ns"].to_numpy()
    return table.append_column("start_ns", pa.array(start)).append_column("end_ns", pa.array(end))


def test_delays_of_a_millisecond_in_every_step_are_measured_by_the_ranks():
    # Turns make bins wait two thirds of their time; delays, 0.3 s a second, make none different.
    random = np.random.default_rng(5)
    table, kind = placed(random.uniform(0.6, 0.7, (100, 10))), np.zeros(100, np.int64)
    blind = account(table, 8, kind, SharedCores(np.zeros(100), turns=0.75))
    assert blind.network.sum() < 0.1 and not blind.anywhere.any()
    begin = np.arange(10) * S
    reported = Together(begin, begin + S, np.full(10, 0.3))
    found = account(table, 8, kind, SharedCores(np.zeros(100), turns=0.75, all_waiting=reported))
    assert found.network.sum() == pytest.approx(3.0)
    np.testing.assert_allclose(found.network, found.anywhere, atol=0.01)
    # What others took of the cores made them wait: it is lost once.
    found = account(
        table, 8, kind, SharedCores(np.full(100, 0.02), turns=0.75, all_waiting=reported)
    )
    assert (found.network + found.cpu).sum() == pytest.approx(3.0)


def test_bins_show_where_and_the_ranks_how_much():
    # A delay of 40 ms fills four bins of one segment; turns fill some by chance.
    random = np.random.default_rng(6)
    shares = random.uniform(0.2, 0.7, (100, 10))
    shares[34, 2:6] = 1.0
    shares[random.random((100, 10)) < 0.02] = 0.95
    table, kind, begin = placed(shares), np.zeros(100, np.int64), np.arange(10) * S
    seconds = np.where(np.arange(10) == 3, 0.04, 0.0)
    bins = account(table, 8, kind, SharedCores(np.zeros(100), turns=0.75))
    assert bins.network.sum() > 0.1
    found = account(
        table,
        8,
        kind,
        SharedCores(np.zeros(100), turns=0.75, all_waiting=Together(begin, begin + S, seconds)),
    )
    assert found.network.sum() == pytest.approx(0.04, rel=0.05)
    assert found.network[34] > 0.02
    assert found.network[:29].sum() == pytest.approx(0, abs=1e-3)
    # Before the ranks looked at each other bins are all there is.
    late = Together(begin[5:], begin[5:] + S, np.zeros(5))
    found = account(table, 8, kind, SharedCores(np.zeros(100), turns=0.75, all_waiting=late))
    np.testing.assert_allclose(found.network[:50], bins.network[:50])
    np.testing.assert_allclose(found.network[50:], 0, atol=1e-12)


def test_a_stretch_across_a_boundary_is_where_bins_show_it():
    # 80 ms, half of it before a boundary, recorded after it.
    shares = np.full((40, 10), 0.5)
    shares[9, 6:], shares[10, :4] = 1.0, 1.0
    begin = np.arange(4) * S
    reported = Together(begin, begin + S, np.array([0, 0.08, 0, 0]))
    found = account(
        placed(shares),
        8,
        np.zeros(40, np.int64),
        SharedCores(np.zeros(40), turns=0.75, all_waiting=reported),
    )
    assert found.network.sum() == pytest.approx(0.08, rel=0.01)
    assert found.network[9] == pytest.approx(0.04, rel=0.2)
    assert found.network[10] == pytest.approx(0.04, rel=0.2)
