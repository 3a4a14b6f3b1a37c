"""Interference in synthetic runs: suspects, jobs that are ruled out, losses, open cases."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from alongside_maker import MIB, MOUNT, SLICE_NS, START, Maker, bursts, noise, writer
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.analysis import identify, neighbours
from jostle.analysis.identification.caveats import clock_slices
from jostle.analysis.identification.model import OTHERS

SIZE = 160


def _reading(alongside, ahead, back):
    """Gives the same where all others read at places that jump so many times a slice."""
    loads, size = alongside.mount_loads, alongside.mount_loads.num_rows
    columns = {
        name: loads.column(name.replace("_read_", "_write_"))
        for name in ("posix_read_ops", "posix_read_bytes")
    } | {
        "posix_write_ops": pa.array(np.zeros(size, np.int64)),
        "posix_write_bytes": pa.array(np.zeros(size, np.int64)),
        "access_read_ahead_ops": pa.array(np.full(size, ahead)),
        "access_read_back_ops": pa.array(np.full(size, back)),
        "access_read_jump_bytes": loads.column("posix_write_bytes"),
    }
    for name, values in columns.items():
        loads = loads.set_column(loads.column_names.index(name), name, values)
    return replace(alongside, mount_loads=loads)


def _lost(load, strength=0.6):
    """Gives the slowdown of a job whose writes take longer while a load is on."""
    return 1 + strength * np.minimum(load / (50 * MIB), 1)


@pytest.mark.parametrize(
    ("ahead", "back", "pattern"),
    [(25, 25, "random read, chunk "), (50, 0, "read, ")],  # a program that skips has no name
)
def test_a_suspect_that_reads_is_described_by_how_it_reads(ahead, back, pattern):
    load = bursts(SIZE, 1)
    alongside = _reading(writer(_lost(load), {"bad": load}), ahead, back)
    (suspect,) = identify(alongside).suspects
    assert suspect.pattern.startswith(pattern)


def test_the_one_who_hurts_is_named_and_priced():
    load = bursts(SIZE, 1)
    found = identify(writer(_lost(load), {"bad": load, "idle": bursts(SIZE, 2) * 0.5}))
    assert [one.job for one in found.suspects] == ["bad"]
    assert set(found.ruled_out) == {"idle"}
    suspect = found.suspects[0]
    assert suspect.resource == f"object servers of {MOUNT}"
    assert suspect.p < 0.01
    assert suspect.pattern
    # 0.01 s a write undisturbed, half of the time between them: the rest of a call is lost.
    rate = 1 / (0.01 * _lost(load) + 0.01)
    truth = float((rate * 0.01 * (_lost(load) - 1)).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)
    assert found.seconds.low <= truth <= found.seconds.high
    disturbed = {(one.start_ns - START * SLICE_NS) // SLICE_NS for one in found.disturbed}
    true = set(np.flatnonzero(load > 0).tolist())
    assert 2 * len(disturbed & true) / (len(disturbed) + len(true)) > 0.95


def test_two_who_hurt_share_the_loss():
    first, second = bursts(SIZE, 3), bursts(SIZE, 4)
    found = identify(writer(_lost(first, 0.9) + _lost(second, 0.45) - 1, {"a": first, "b": second}))
    shares = {one.job: one.share for one in found.suspects}
    assert set(shares) == {"a", "b"}
    assert shares["a"] > 0.55
    assert sum(shares.values()) == pytest.approx(1)


def test_nobody_is_named_for_noise():
    named = 0
    for seed in range(12):
        nobody = {"a": bursts(SIZE, 100 + seed), "b": bursts(SIZE, 200 + seed)}
        found = identify(writer(np.ones(SIZE), nobody, seed))
        named += found.evident
        assert found.smallest_s > 0
    assert named <= 2  # 1 in 20, and two standard deviations


def test_without_evidence_the_loss_lies_below_what_would_have_been_seen():
    """Nor is a loss seen that is not worth naming a suspect, however even the slices are."""
    found = identify(writer(np.ones(SIZE), {"a": bursts(SIZE, 100)}, 1))
    assert not found.evident
    assert (found.seconds.value, found.seconds.low) == (0.0, 0.0)
    assert found.seconds.high == found.smallest_s >= 0.01 * found.run_s
    assert found.percent.high == pytest.approx(100 * found.smallest_s / found.run_s)
    assert all(one.seconds.high == one.smallest_s for one in found.resources)


def test_own_phases_are_not_interference():
    # Every 20 slices the job writes 4 KiB pieces instead, which take longer for their size.
    small = np.arange(SIZE) // 20 % 2 == 1
    size = np.where(small, 4096.0, MIB)
    seconds = np.where(small, 0.002, 0.01) * noise(SIZE, 4)
    load = np.where(small, 50.0 * MIB, 0)
    load[SIZE // 2 :] = bursts(SIZE // 2, 5)
    found = identify(Maker(np.full(SIZE, 40.0), size, seconds, {"alongside": load}).make())
    assert not found.evident


def test_a_neighbour_whose_bursts_come_with_ours_but_do_no_harm_goes_free():
    own = bursts(SIZE, 6) > 0
    ops = np.where(own, 60.0, 5.0)
    # The job gets in its own way: its writes take longer when it writes much.
    seconds = 0.004 * np.where(own, 1.6, 1.0) * noise(SIZE, 6)
    load = np.where(np.roll(own, 1) | own, 40.0 * MIB, 0)
    found = identify(Maker(ops, np.full(SIZE, float(MIB)), seconds, {"alongside": load}).make())
    assert not found.evident


def test_of_two_in_step_the_light_one_is_ruled_out():
    load = bursts(SIZE, 8)
    rng = np.random.default_rng(8)
    light = np.where(load > 0, 4 * MIB * rng.uniform(0.2, 1, SIZE), 0)
    found = identify(
        writer(_lost(load) + 0.01 * rng.normal(size=SIZE), {"bad": load, "near": light})
    )
    assert [one.job for one in found.suspects] == ["bad"]


def test_who_was_not_tested_is_not_ruled_out():
    """Only the heaviest 60 of 62 jobs are tested, one of them active at a time."""
    at = np.arange(SIZE) // 2
    loads = {f"job{k:02}": np.where(at == k, (50.0 - k / 2) * MIB, 0) for k in range(62)}
    found = identify(writer(np.ones(SIZE), loads))
    for name in ("job60", "job61"):
        assert name not in found.ruled_out
        assert "only the 60 with most load were tested" in found.untested[name].why
    assert "job00" in found.ruled_out


def test_a_steady_neighbour_cannot_be_identified():
    found = identify(writer(np.full(SIZE, 1.5), {"steady": np.full(SIZE, 50.0 * MIB)}))
    assert not found.evident
    assert "do not show its effect" in found.resources[0].why_not
    assert any("lower bound" in limit for limit in found.limits)


def test_the_edges_of_a_long_neighbour_identify_it():
    load = np.zeros(SIZE)
    load[50:110] = 50.0 * MIB
    found = identify(writer(_lost(load), {"long": load}, 3))
    assert [one.job for one in found.suspects] == ["long"]


def test_slices_of_different_lengths_are_brought_together():
    load = np.repeat(bursts(SIZE // 4, 9, on=4, off=5), 4)
    found = identify(writer(_lost(load), {"bad": load[::4] * 4}, theirs_ns=4 * SLICE_NS))
    assert [one.job for one in found.suspects] == ["bad"]
    assert any("known only in slices of 4 s," in limit for limit in found.limits)


def test_calls_longer_than_a_slice_count_where_they_passed():
    ops, busy = np.zeros(SIZE), np.zeros(SIZE)
    load = np.where(np.arange(SIZE) // 16 % 2 == 1, 50.0 * MIB, 0)
    k = 0
    while k < SIZE - 4:  # a call of 0.9 s, of 2.7 s under load
        last = k + 2 if load[k] > 0 else k
        ops[last], busy[last] = 1, 2.7 if load[k] > 0 else 0.9
        k = last + 1
    found = identify(Maker(ops, np.full(SIZE, float(MIB)), busy, {"bad": load}).make())
    assert found.evident
    truth = float((busy[busy > 2] * 2 / 3).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.25)


def test_what_cannot_be_assessed_says_so():
    alone = identify(writer(np.ones(SIZE), {}))
    assert not alone.evident and not alone.resources
    assert alone.neighbours == 0
    short = identify(writer(np.ones(6), {"a": np.full(6, 50.0 * MIB)}))
    assert "Too few slices" in short.resources[0].why_not
    one = identify(writer(np.ones(1), {"a": np.full(1, 50.0 * MIB)}))
    assert not one.evident
    empty = Maker(np.zeros(9), np.ones(9), np.ones(9), {"a": np.full(9, 1.0)}).make()
    assert any("no slices" in limit for limit in identify(empty).limits)


def test_clocks_apart_are_named():
    load = bursts(SIZE, 1)
    apart = {"bad": {"clock_state": 5, "clock_error_us": 2_000_000, "clocks": ("two",)}}
    found = identify(writer(_lost(load), {"bad": load}, facts=apart))
    assert any("not synchronised" in limit for limit in found.limits)
    assert [one.job for one in found.suspects] == ["bad"]


@pytest.mark.parametrize(
    ("own_us", "own_clocks", "other_us", "other_clock", "slices"),
    [
        (60_000, ("one",), 60_000, "two", 1),  # opposite errors: 0.12 s of a slice of 1 s
        (60_000, ("one",), 30_000, "two", 0),
        (60_000, ("one",), 60_000, "one", 0),
        (60_000, ("one", "two"), 10_000, "one", 1),  # two nodes of the job
    ],
)
def test_two_clocks_may_both_be_off(own_us, own_clocks, other_us, other_clock, slices):
    facts = {"bad": {"clock_error_us": other_us, "clocks": (other_clock,)}}
    alongside = writer(np.ones(SIZE), {"bad": bursts(SIZE, 1)}, facts=facts)
    job = replace(alongside.job, clock_error_us=own_us, clocks=own_clocks)
    assert clock_slices(replace(alongside, job=job)) == slices


@pytest.mark.parametrize("size", [2.0**53, 2.0**60])
def test_huge_values_and_gaps_give_an_answer(size):
    load = bursts(SIZE, 1)
    ops = np.where(np.arange(SIZE) % 7 == 3, 0.0, 10.0)
    ops[5] = size / MIB
    load[40] = size
    found = identify(Maker(ops, np.full(SIZE, float(MIB)), noise(SIZE, 1), {"a": load}).make())
    assert np.isfinite(found.seconds.value)
    assert np.isfinite(found.smallest_s)


def test_the_same_seed_gives_the_same_answer():
    load = bursts(SIZE, 1)
    alongside = writer(_lost(load), {"a": load, "b": bursts(SIZE, 2)})
    assert str(identify(alongside, seed=3).to_json()) == str(identify(alongside, seed=3).to_json())


_NAMES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x2FF), min_size=6, max_size=12)


@settings(max_examples=5, deadline=None)
@given(
    name=_NAMES, program=_NAMES, node=_NAMES, user=st.integers(777_001, 777_999), harm=st.booleans()
)
def test_nothing_of_other_users_is_disclosed(name, program, node, user, harm):
    name, program, node = f"Zq{name}", f"Zq{program}", f"Zq{node}"
    load = bursts(SIZE, 1)
    facts = {
        name: {"program": program, "nodes": (node,), "user": user},
        "third": {"user": user + 1},
    }
    alongside = writer(
        _lost(load) if harm else np.ones(SIZE), {name: load, "third": load * 0.3}, facts=facts
    )
    found = identify(alongside, as_user=1000)
    met = neighbours(alongside, as_user=1000)
    reported = repr(found.to_json()) + repr(met)
    for secret in (name, program, node, "third"):
        assert secret not in reported
    assert str(user) not in re.findall(r"\d+", reported)  # a byte count may hold its digits
    assert found.neighbours == 1 and found.unnamed  # not how many they are
    assert [one.job for one in met] == [OTHERS]
    if harm:
        assert [one.job for one in found.suspects] == [OTHERS]
        assert found.suspects[0].pattern == "" and found.suspects[0].user is None
    # The number of those who are hidden changes nothing.
    one = writer(_lost(load) if harm else np.ones(SIZE), {name: load * 1.3}, facts=facts)
    alike = identify(one, as_user=1000)
    assert len(alike.limits) == len(found.limits)


def test_own_jobs_are_named_and_others_hidden():
    load = bursts(SIZE, 1)
    facts = {"theirs": {"user": 2000}}
    found = identify(
        writer(_lost(load), {"mine": load, "theirs": bursts(SIZE, 2)}, facts=facts), as_user=1000
    )
    assert [one.job for one in found.suspects] == ["mine"]
    assert set(found.ruled_out) == {OTHERS}
    both = identify(
        writer(_lost(load), {"mine": load, "theirs": bursts(SIZE, 2)}, facts=facts),
        as_user={1000, 2000},
    )
    assert set(both.ruled_out) == {"theirs"}


def test_neighbours_are_listed_with_their_load():
    alongside = writer(np.ones(SIZE), {"long": bursts(SIZE, 1)})
    fact = alongside.others["long"]
    short = replace(fact, end_ns=fact.start_ns + 5 * SLICE_NS)
    alongside = replace(alongside, others={"long": short})
    (one,) = neighbours(alongside)
    assert one.shared == [MOUNT]
    assert one.overlap_s == 5
    assert one.load[MOUNT].endswith("written")
