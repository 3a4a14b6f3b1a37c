"""Slices and suspects of synthetic experiments: disturbed, clear, and neither."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jostle_lab.validation.lab.plan import SLICE_NS, LabNeighbour, LabScene
from jostle_lab.validation.lab.runner import Played
from jostle_lab.validation.lab.score import Slices, alone, lab_score, see, unsteady

_BAD = LabNeighbour("bad", "node2", (), "shared", (), harm=True)
_FIRST = 4_000_000_000  # a slice since the epoch


def experiment(
    name: str, bursts: list[tuple[float, float]], slices: int = 20, alongside: int = 5
) -> Played:
    """Makes one of so many slices; bursts are in slices from its begin.

    Ten operations are done in a slice, next to a harmful neighbour as many as requested.
    """
    begin = _FIRST * SLICE_NS
    spans = [[begin + int(a * SLICE_NS), begin + int(b * SLICE_NS)] for a, b in bursts]
    scene = LabScene(1, name, "writer", (_BAD,) if bursts else ())
    active = [
        [_FIRST + at, alongside if any(a < at + 1 and at < b for a, b in bursts) else 10]
        for at in range(-1, slices + 1)
    ]
    return Played(
        begin, begin + slices * SLICE_NS, active, {"bad": spans}, scene=scene, repository=""
    )


def answer(disturbed: list[int], suspects: list[str], seconds: float = 0.0) -> Any:
    """Makes what `identify` would say; slices from the begin of the run."""
    rows = [
        SimpleNamespace(start_ns=(_FIRST + at) * SLICE_NS, length_ns=SLICE_NS) for at in disturbed
    ]
    said = SimpleNamespace(value=seconds, low=seconds, high=seconds)
    named = [SimpleNamespace(job=job) for job in suspects]
    return SimpleNamespace(disturbed=rows, suspects=named, seconds=said)


def test_slices_that_are_half_hit_are_disturbed_and_slightly_hit_ones_are_neither() -> None:
    """A burst from 5.9 to 8.6: slices 6, 7 and 8 are disturbed, 5 is neither."""
    one = experiment("harmful", [(5.9, 8.6)])
    seen = see(one, answer([5, 6, 7, 12], ["s001-writer-bad"]), {"writer": 10.0})
    assert seen is not None
    assert seen.slices == Slices(hit=2, wrong=1, missed=1)
    assert seen.slices.f1 == pytest.approx(2 / 3)
    assert seen.right


def test_slices_in_which_the_probe_rests_do_not_count() -> None:
    """Nobody can be hurt there; nor where the probe begins or ends to rest."""
    one = experiment("harmful", [(5, 9)])
    del one.active[1 + 7]
    seen = see(one, answer([], []), {"writer": 10.0})
    assert seen is not None and seen.slices.missed == 1  # of 5, 6, 7, 8 only 5 is left


def test_the_first_suspect_and_false_alarms() -> None:
    """Only the first counts; a name in a null run is an alarm."""
    usual = {"writer": 10.0}
    wrong = see(
        experiment("harmful", [(5, 9)]), answer([5, 6], ["other", "s001-writer-bad"]), usual
    )
    alarm = see(experiment("harmless", []), answer([3], ["other"]), usual)
    quiet = see(experiment("alone", []), answer([], []), usual)
    assert wrong and alarm and quiet
    found = lab_score([wrong, alarm, quiet])
    assert (found.first, found.null, found.alarms) == (0.0, 2, 1)
    assert found.slices == Slices(2, 0, 2)


def test_seconds_lost_in_percent_or_in_points() -> None:
    """Alongside the neighbour half of the work is done: four slices cost half a second of five.

    Above a tenth of the run the error is a share of the loss, below it points.
    """
    usual = {"writer": 10.0}
    small = see(experiment("harmful", [(5, 9)]), answer([], [], 0.6), usual)
    large = see(experiment("harmful", [(5, 13)]), answer([], [], 0.9), usual)
    assert small and large
    assert small.lost_s == pytest.approx(0.5)
    assert small.relative is None and small.points == pytest.approx(2.0)
    assert large.lost_s == pytest.approx(1.0)
    assert large.relative == pytest.approx(0.1)


def test_what_a_probe_does_alone() -> None:
    """The mean of the middle half of all slices of runs alone; without one there is no score."""
    slow = experiment("alone", [])
    slow.active[5][1] = 1
    assert alone([slow, experiment("harmful", [(1, 2)])]) == {"writer": 10.0}
    assert see(experiment("harmful", [(5, 9)]), answer([], []), {}) is None


def test_stalls_and_edges_of_phases_are_lost_too() -> None:
    """A slice in which nothing ended, and one half of which was work, count by their time."""
    one = experiment("harmful", [(5, 9)])
    del one.active[1 + 7]  # 6 and 8 have a neighbour without work now
    one.rounds.append([one.begin_ns, one.end_ns])
    seen = see(one, answer([], [], 0.6), {"writer": 10.0})
    assert seen is not None
    assert seen.lost_s == pytest.approx((0.5 + 0.5 + 1 + 0.5) / 4)
    half = experiment("harmful", [(5, 9)])
    begin = _FIRST * SLICE_NS
    half.rounds.extend(
        [[begin, begin + int(5.5 * SLICE_NS)], [begin + 6 * SLICE_NS, begin + 20 * SLICE_NS]]
    )
    seen = see(half, answer([], []), {"writer": 10.0})
    assert seen is not None and seen.lost_s == pytest.approx((0 + 3 * 0.5) / 4)


def test_the_machines_own_noise_is_not_in_the_loss_against_calm_slices() -> None:
    """Alone ten operations are done in a slice; in this run only eight where it was calm."""
    one = experiment("harmful", [(5, 9)], alongside=4)
    for pair in one.active:
        pair[1] = 8 if pair[1] == 10 else pair[1]
    seen = see(one, answer([], [], 0.5), {"writer": 10.0})
    assert seen is not None
    assert seen.lost_s == pytest.approx(0.6)
    assert seen.calm_s == pytest.approx(0.5)
    assert seen.relative_calm == pytest.approx(0.0)
    assert not seen.held and seen.held_calm
    score = lab_score([seen])
    assert (score.held, score.held_calm, score.half_width) == (0.0, 1.0, 0.0)
    assert score.apart == pytest.approx(0.2)


def test_a_probe_whose_null_runs_differ_has_its_truth_in_the_same_run() -> None:
    """Of another run's rate nothing follows then; decided without a look at answers."""
    fast, slow = experiment("alone", []), experiment("harmless", [])
    for pair in slow.active:
        pair[1] = 8
    assert unsteady([fast, fast]) == {}
    differing = unsteady([fast, slow, experiment("harmful", [(5, 9)])])
    assert differing == {"writer": pytest.approx(2 / 9)}
    one = experiment("harmful", [(5, 9)], alongside=4)
    for pair in one.active:
        pair[1] = 8 if pair[1] == 10 else pair[1]
    seen = see(one, answer([], [], 0.5), {"writer": 10.0}, differing)
    assert seen is not None and seen.same_run and seen.held
    assert seen.lost_s == seen.calm_s == pytest.approx(0.5)
    score = lab_score([seen], differing)
    assert score.apart is None and score.unsteady == differing
