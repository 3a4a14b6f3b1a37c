"""Seconds lost: calls longer than a slice, several culprits, loads that never stop."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from alongside_maker import (
    _MOUNT_COLUMNS,
    _NODE_COLUMNS,
    MIB,
    MOUNT,
    START,
    Maker,
    bursts,
    noise,
    table,
    writer,
)

from jostle.analysis import identify
from jostle.analysis.identification.identify import _together
from jostle.analysis.identification.resources.shared import shared_resources, spilled
from jostle.analysis.identification.statistics.resource_tests import why_not
from jostle.analysis.identification.statistics.seconds_lost import suspect_loss

QUARTER = 250_000_000


def _few_long_calls(load, seed):
    """Plays a job whose writes and syncs take 50 ms together, and 90 alongside a load.

    A call is booked in the slice in which it ends, as the profiler does.

    Returns:
        The co-running jobs, and the seconds that it lost.
    """
    rng = np.random.default_rng(seed)
    size = len(load)
    booked = {
        name: np.zeros(size)
        for name in (
            "posix_write_ops",
            "posix_write_bytes",
            "posix_write_ns",
            "posix_sync_ops",
            "posix_sync_ns",
        )
    }
    now, lost = 0.0, 0.0
    while True:
        slow = 1.8 if load[min(int(now / 0.25), size - 1)] else 1.0
        for what, usual in (("write", 0.004), ("sync", 0.046)):
            lasted = usual * slow * rng.lognormal(0, 0.1)
            now += lasted
            if now >= size * 0.25:
                return _booked(booked, load), lost
            at = int(now / 0.25)
            booked[f"posix_{what}_ops"][at] += 1
            booked[f"posix_{what}_ns"][at] += lasted * 1e9
            booked["posix_write_bytes"][at] += MIB if what == "write" else 0
            lost += lasted * (1 - 1 / slow)


def _booked(booked, load):
    size = len(load)
    found = Maker(
        np.ones(size),
        np.ones(size),
        np.ones(size),
        {"bad": load},
        slice_ns=QUARTER,
        theirs_ns=QUARTER,
    ).make()
    first = START * 1_000_000_000 // QUARTER
    times = {f"posix_{what}_ns_max": booked[f"posix_{what}_ns"] for what in ("write", "sync")}
    mine = table(
        {
            "mount": [MOUNT] * size,
            "slice": first + np.arange(size),
            "slice_ns": np.full(size, QUARTER),
            "count": np.ones(size),
            **booked,
            **times,
        },
        _MOUNT_COLUMNS,
    )
    return replace(found, own_mounts=mine)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_few_long_calls_in_a_slice_lose_nothing(seed):
    """Writes and syncs of one file end in two slices, and more ends in a slice than fits in it."""
    found, truth = _few_long_calls(bursts(120, seed, on=10, off=10), seed)
    said = identify(found)
    assert said.seconds.value == pytest.approx(truth, rel=0.06)
    assert said.seconds.low <= truth <= said.seconds.high


def test_time_goes_back_to_where_it_was_spent():
    busy = spilled(np.array([0.5, 0.9, 1.3, 0.2, 4.0, 0.0]), 1.0)
    assert busy == pytest.approx([0.7, 1.0, 1.0, 0.7, 1.0, 0.0])  # four threads, not four slices


def test_those_who_hurt_only_together_are_found():
    """Each one's load is the others' noise, and none passes the tests by itself."""
    loads = {f"bad{k}": bursts(90, 400 + k, on=14, off=14) for k in range(4)}
    slowed = 1 + sum(0.5 * np.minimum(load / (50 * MIB), 1) for load in loads.values())
    found = identify(writer(slowed, loads, 4))
    rate = 1 / (0.01 * slowed + 0.01)
    truth = float((rate * 0.01 * (slowed - 1)).sum())
    assert {one.job for one in found.suspects} == set(loads)
    assert any("together do" in limit for limit in found.limits)
    assert found.seconds.low <= truth <= found.seconds.high


def test_where_it_is_never_quiet_the_interval_holds_what_may_be_lost():
    """One comes and goes, another is always there: no slice says what undisturbed is."""
    size = 200
    comes = bursts(size, 8)
    stays = 45 * MIB * noise(size, 9, 0.3)
    slowed = 1 + 0.6 * np.minimum(comes / (50 * MIB), 1) + 0.3 * stays / (50 * MIB)
    found = identify(writer(slowed, {"comes": comes, "stays": stays}, 10))
    rate = 1 / (0.01 * slowed + 0.01)
    truth = float((rate * 0.01 * (slowed - 1)).sum())
    assert "comes" in {one.job for one in found.suspects}
    assert found.seconds.low <= truth <= found.seconds.high
    assert found.seconds.high < 2 * truth


def test_no_lower_bound_of_a_loss_is_below_zero():
    """The uncertainty without quiet slices exceeds the loss, which still is no gain."""
    size = 80
    comes = bursts(size, 8)
    stays = 45 * MIB * noise(size, 9, 0.3)
    slowed = 1 + 0.12 * np.minimum(comes / (50 * MIB), 1) + 0.3 * stays / (50 * MIB)
    slowed *= np.exp(0.12 * np.random.default_rng(10).normal(size=size))
    found = identify(writer(slowed, {"comes": comes, "stays": stays}, 10))
    assert [one.job for one in found.suspects] == ["stays"]
    assert [one.seconds.low for one in found.suspects] == [0.0]
    assert [one.seconds.low for one in found.resources if one.evident] == [0.0]


def test_the_slowdown_is_that_of_the_slices_with_suspects():
    """Another job, which is no suspect, slows as much at other times: that is no slowdown here."""
    at = np.arange(200) % 20
    suspect, other = np.where(at < 4, 50.0 * MIB, 0), np.where(at >= 10, 50.0 * MIB, 0)
    slowed = 1 + 0.6 * (suspect + other) / (50 * MIB)
    (resource,) = [
        each
        for each in shared_resources(writer(slowed, {"suspect": suspect, "other": other}, 10))
        if each.kind == "object servers"
    ]
    found = suspect_loss(resource, {"suspect": suspect}, 1, np.random.default_rng(0))
    assert found.lost[at >= 10].sum() > found.lost[at < 4].sum() > 0
    assert 1.1 < found.slowdown <= 1.6


def _verdict(kind, lost, busy, axis, *, of_messages=False):
    resource = SimpleNamespace(
        kind=kind, busy=busy, axis=axis, name=kind, loads={}, of_messages=of_messages
    )
    value = float(lost.sum())
    cost = SimpleNamespace(
        lost=lost,
        disturbed=np.zeros(len(lost), dtype=bool),
        seconds=SimpleNamespace(value=value, low=0.8 * value, high=1.2 * value),
    )
    return SimpleNamespace(test=SimpleNamespace(resource=resource, suspects={}), loss=cost)


def test_the_whole_is_no_less_than_its_largest_part():
    """A job that writes half of the time and waits for its core in the other half."""
    axis = (0, 1_000_000_000, 10)
    half = np.full(10, 0.5)
    node = _verdict("node", np.full(10, 0.3), half, axis)
    files = _verdict("file system", np.full(10, 0.1), half, axis)
    whole, _ = _together([node, files], 10.0)
    assert whole.value == pytest.approx(4.0)
    # With calls all the time the wait may lie in them; it was lost all the same.
    files = _verdict("file system", np.full(10, 0.1), np.ones(10), axis)
    whole, _ = _together([node, files], 10.0)
    assert whole.value == pytest.approx(3.0)
    assert whole.low >= node.loss.seconds.low and whole.high >= node.loss.seconds.high


@pytest.mark.parametrize("kind", ["memory", "gpu", "bus"])
def test_what_processes_lose_at_the_same_time_counts_once(kind):
    """Four processes, each on its own node or GPU, lose a fifth of a second in every slice."""
    axis = (0, 1_000_000_000, 10)
    one = _verdict(kind, np.full(10, 0.2), np.full(10, 0.5), axis)
    less = _verdict(kind, np.full(10, 0.1), np.full(10, 0.5), axis)
    whole, _ = _together([one, less, one, one], 10.0)
    assert whole.value == pytest.approx(2.0)
    # At different times they add up, and so do losses of different kinds.
    first, second = np.repeat([0.2, 0.0], 5), np.repeat([0.0, 0.2], 5)
    halves = [_verdict(kind, lost, np.full(10, 0.5), axis) for lost in (first, second)]
    files = _verdict("file system", np.full(10, 0.1), np.full(10, 0.2), axis)
    whole, _ = _together([*halves, files], 10.0)
    assert whole.value == pytest.approx(3.0)


def test_a_second_that_messages_lose_counts_once():
    """It is lost on the network and on the bus to the adapter: both test the same calls."""
    axis = (0, 1_000_000_000, 10)
    half = np.full(10, 0.5)
    network = _verdict("network", np.full(10, 0.3), half, axis)
    adapter = _verdict("bus", np.full(10, 0.2), half, axis, of_messages=True)
    whole, _ = _together([network, adapter, adapter], 10.0)
    assert whole.value == pytest.approx(3.0)
    assert whole.low >= network.loss.seconds.low
    # At different times both count; and copies are no messages.
    early, late = np.repeat([0.3, 0.0], 5), np.repeat([0.0, 0.2], 5)
    parts = [
        _verdict("network", early, half, axis),
        _verdict("bus", late, half, axis, of_messages=True),
    ]
    assert _together(parts, 10.0)[0].value == pytest.approx(2.5)
    copies = _verdict("bus", np.full(10, 0.1), np.full(10, 0.2), axis)
    assert _together([network, adapter, copies], 10.0)[0].value == pytest.approx(4.0)
    # Half of the time is in messages: the other half has room for all of the wait for cores.
    node = _verdict("node", np.full(10, 0.2), half, axis)
    whole, _ = _together([network, adapter, node], 10.0)
    assert whole.value == pytest.approx(5.0)


def test_processes_that_only_wait_for_others_lose_no_core():
    """A shell and the one that it started: the time of a slice is that of the latter."""
    size = 30
    found = writer(np.ones(size), {"bad": bursts(size, 1)})
    slices, second = START + np.arange(size), np.full(size, 1e9)
    mine = table(
        {
            "host": ["n"] * size,
            "slice": slices,
            "slice_ns": second,
            "count": np.full(size, 2.0),
            "os_user_ns": second * 0.5,
            "os_user_ns_max": second * 0.5,
            "os_runqueue_ns": second * 0.4,
            "os_runqueue_ns_max": second * 0.4,
        },
        _NODE_COLUMNS,
    )
    theirs = pa.table(
        {
            "job": ["bad"] * size,
            "host": ["n"] * size,
            "slice": slices,
            "slice_ns": second.astype(np.int64),
            "count": np.ones(size, dtype=np.int64),
            "cpu_ns": second.astype(np.int64),
        }
    )
    node = next(
        one
        for one in shared_resources(replace(found, own_nodes=mine, node_loads=theirs))
        if one.kind == "node"
    )
    assert node.busy == pytest.approx(0.9)


def test_evidence_without_a_culprit_does_not_sound_like_none():
    """A small p next to "took no longer" reads as a contradiction."""
    one = SimpleNamespace(
        slices=100,
        total=SimpleNamespace(alike=False),
        p=0.0003,
        q=0.001,
        tests={"a": SimpleNamespace(smallest=0.001)},
        served=SimpleNamespace(scored=np.ones(9, bool)),
        resource=SimpleNamespace(others=np.arange(9.0)),
    )
    assert why_not(one).startswith("The job's calls took longer")


def _alongside(slowed, load, seed):
    """Plays a writer that a load slows so much, slice by slice; gives the seconds it lost, too."""
    found = writer(slowed, {"bad": load}, seed)
    spent = np.round(1 / (0.01 * slowed * noise(len(load), seed) + 0.01)) * 0.01 * slowed
    return found, float((spent * noise(len(load), seed) * (1 - 1 / slowed)).sum())


def _stalls(load, seed):
    there = (load > 0) & (np.random.default_rng(1000 + seed).random(len(load)) < 0.17)
    return np.where(there, 6.0, 1 + 0.8 * (load > 0))


def _drains(load, seed):
    after = np.append(False, (load[:-1] > 0) & (load[1:] == 0))
    return 1 + 0.8 * (load > 0) + 0.6 * after


def _uneven(load, seed):
    strong = np.random.default_rng(1000 + seed).random(len(load)) < 0.5
    return 1 + (load > 0) * np.where(strong, 2.0, 0.1)


@pytest.mark.parametrize(("kind", "widest"), [(_stalls, 0.15), (_drains, 0.1), (_uneven, 0.12)])
def test_the_interval_holds_what_disturbed_slices_cost(kind, widest):
    """Stalls alongside a load and what drains after it are lost to it; nor is the interval wide
    because disturbed slices differ: those that there were are those that cost."""
    held, half = [], []
    for seed in range(8):
        load = bursts(100, seed, on=6, off=10)
        found, truth = _alongside(kind(load, seed), load, seed)
        said = identify(found).seconds
        held.append(said.low <= truth <= said.high)
        half.append((said.high - said.low) / 2 / said.value)
    assert sum(held) >= 7
    assert np.median(half) < widest
