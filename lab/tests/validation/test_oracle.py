"""The oracle on synthetic runs with known answers: it shares no code with the estimator."""

from __future__ import annotations

import numpy as np
import pytest

from jostle_lab.validation.oracle import (
    FEWEST_RUNS,
    Band,
    Marks,
    alongside,
    band,
    displacement,
    resolution,
    truths,
    union_s,
    windows,
)


def marks(lengths: list[float], counts: list[int] | None = None) -> Marks:
    """Makes a run of windows of so many seconds; each is so many counts long."""
    steps = counts or [10] * len(lengths)
    done = np.cumsum([0, *steps])
    at = np.cumsum([0, *(round(length * 1e9) for length in lengths)]) + 5_000_000_000
    return Marks(done.astype(np.int64), at.astype(np.int64))


def fleet(**special: list[float]) -> dict[str, Marks]:
    """Makes eight equal runs of ten windows of 1 s, and others."""
    runs = {f"plain{number}": marks([1.0] * 10) for number in range(FEWEST_RUNS)}
    return runs | {name: marks(lengths) for name, lengths in special.items()}


def test_a_burst_is_instantaneous() -> None:
    """Two windows of ten are longer: 3 s of 13 are lost, and none of it continuous."""
    found = truths(fleet(hit=[1, 1, 2, 1, 1, 3, 1, 1, 1, 1]))["hit"]
    assert found.run_s == pytest.approx(13)
    assert found.total == pytest.approx(100 * 3 / 13)
    assert found.displaced == pytest.approx(0)
    assert found.instantaneous == pytest.approx(found.total)


def test_a_run_that_is_slow_throughout_is_displaced() -> None:
    """Every window takes a fifth longer: all of the loss is continuous."""
    found = truths(fleet(slow=[1.2] * 10))["slow"]
    assert found.total == pytest.approx(100 * 2 / 12)
    assert found.instantaneous == pytest.approx(0, abs=1e-9)


def test_one_lucky_run_is_no_reference() -> None:
    """The second smallest counts: a run that did a window in half the time changes nothing."""
    found = truths(fleet(lucky=[0.5] + [1.0] * 9))
    assert found["plain0"].total == pytest.approx(0)
    assert found["lucky"].total == pytest.approx(100 * -0.5 / 9.5)
    assert found["plain0"].high_s == pytest.approx(0.5)
    assert found["plain0"].low_s == pytest.approx(0)


def test_luck_in_some_windows_is_no_burst_in_the_others() -> None:
    """Two runs each were fast in four windows of ten: what all others lost so is no event."""
    runs = {f"plain{number}": marks([1.0] * 10) for number in range(12)}
    for window in range(4):
        for number in (0, 1):
            lucky = [0.5 if place == window else 1.0 for place in range(10)]
            runs[f"lucky{window}{number}"] = marks(lucky)
    found = truths(runs)["plain0"]
    assert found.total == pytest.approx(20)
    assert found.instantaneous == pytest.approx(0, abs=1e-9)


def test_of_many_runs_the_fastest_tenth_is_the_reference() -> None:
    """Of thirty runs the third smallest counts, of nineteen the second."""
    fast = {f"fast{number}": marks([0.5] * 10) for number in range(2)}
    plain = {f"plain{number}": marks([1.0] * 10) for number in range(28)}
    assert truths(plain | fast)["plain0"].total == pytest.approx(0)
    few = {name: plain[name] for name in list(plain)[:17]}
    assert truths(few | fast)["plain0"].total == pytest.approx(50)


def test_where_something_was_injected_is_no_reference() -> None:
    """Delays keep most of thirty runs from being fast: the tenth is that of the others."""
    begin = int(marks([1.0]).at_ns[0])
    runs = {f"hit{number}": marks([1.5] * 10) for number in range(20)}
    injected = {name: [(begin, begin + 15_000_000_000)] for name in runs}
    runs |= {f"plain{number}": marks([1.0 + 0.01 * number] * 10) for number in range(10)}
    assert truths(runs)["plain0"].total == pytest.approx(-2)
    assert truths(runs, injected)["plain0"].total == pytest.approx(-1)  # the second of ten
    # A delay spoils the windows that it touches, and no others.
    spoilt = truths(
        fleet(hit=[1, 1, 3, 1, 1, 1, 1, 1, 1, 1], fast=[0.5] * 10, quick=[0.5] * 10),
        {"quick": [(begin, begin + 200_000_000)]},
    )
    assert spoilt["plain0"].total == pytest.approx(45)
    # Where nearly all runs were struck, all count.
    assert truths(runs, injected | dict.fromkeys(list(runs)[:28], injected["hit0"]))


def test_windows_are_of_equal_work_whatever_the_segments() -> None:
    """A run whose segments are twice as coarse is cut at the boundaries that it shares."""
    runs = fleet()
    runs["coarse"] = marks([2.0, 2.0, 2.0, 2.0, 2.5], [20] * 5)
    names, common, durations = windows(runs)
    assert names[-1] == "coarse"
    assert common.tolist() == [0, 20, 40, 60, 80, 100]
    assert durations[-1].tolist() == [2.0, 2.0, 2.0, 2.0, 2.5]


def test_a_run_that_did_other_work_has_no_truth() -> None:
    """A run that ended early is left out, and does not take windows from the others."""
    runs = fleet()
    runs["short"] = marks([1.0] * 7)
    found = truths(runs)
    assert "short" not in found
    assert found["plain0"].windows == 10


@pytest.mark.parametrize("number", [0, 1, FEWEST_RUNS - 1])
def test_few_runs_make_no_oracle(number: int) -> None:
    """With fewer than eight runs nobody knows what a window takes undisturbed."""
    assert truths({str(one): marks([1.0] * 10) for one in range(number)}) == {}


def test_the_resolution_is_what_halves_of_the_runs_differ_by() -> None:
    """Halves of equal runs agree; where each run is slow for itself, halves differ."""
    same = {f"run{number}": marks([1.0] * 20) for number in range(16)}
    found = resolution(same)
    assert found is not None and found.total == found.instantaneous == pytest.approx(0)
    dice = np.random.default_rng(1)
    noisy = {f"run{number}": marks((1 + dice.random(20)).tolist()) for number in range(16)}
    found = resolution(noisy)
    assert found is not None and 1 < found.total < 20
    assert resolution({name: noisy[name] for name in list(noisy)[:15]}) is None  # halves of seven


def test_time_after_the_last_count_belongs_to_the_run() -> None:
    """What comes before MPI_Finalize without counting is part of the last window."""
    ends = Marks(np.array([0, 10, 20, 20]), np.array([0, 1, 2, 5]) * 1_000_000_000)
    _, _, durations = windows({"a": ends, "b": ends})
    assert durations.tolist() == [[1.0, 4.0], [1.0, 4.0]]


def test_the_displacement_weighs_windows_by_their_length() -> None:
    """Many short windows that doubled count little compared with a long one that did not."""
    row = np.array([2e-3] * 20 + [1.0])
    reference = np.array([1e-3] * 20 + [1.0])
    assert displacement(row, reference) == pytest.approx(0)
    assert displacement(row, np.zeros(21)) == 0


def test_the_band_of_the_injectors_log() -> None:
    """The most delayed rank of each window is the low end, all delays the high end."""
    ms = 1_000_000
    start = np.array([10, 12, 500, 1500, 2500]) * ms
    delay = np.array([5, 7, 3, 4, 100]) * ms
    rank = np.array([0, 1, 0, 1, 0])
    found = band(start, delay, rank, np.array([0, 1000, 2000]) * ms)
    assert found.count == 4  # the last began after the run
    assert found.low == pytest.approx((8 + 4) / 1e3)  # rank 0 had 5 + 3 in the first window
    assert found.high == pytest.approx(19 / 1e3)
    assert found.flight == pytest.approx((9 + 3 + 4) / 1e3)  # 10..15 and 12..19 overlap


def test_no_delays_no_band() -> None:
    """A run in which nothing struck has a band of nothing."""
    none = np.zeros(0, np.int64)
    assert band(none, none, none, np.array([0, 10])).high == 0


@pytest.mark.parametrize(
    ("spans", "length"),
    [
        ([], 0),
        ([(0, 2)], 2),
        ([(0, 2), (1, 3)], 3),
        ([(0, 5), (1, 2), (6, 7)], 6),
        ([(4, 6), (0, 1), (0, 1)], 3),
    ],
)
def test_time_in_any_of_several_spans(spans: list[tuple[int, int]], length: float) -> None:
    """Spans that overlap count once."""
    begin = np.array([a for a, _ in spans], np.int64) * 10**9
    end = np.array([b for _, b in spans], np.int64) * 10**9
    assert union_s(begin, end) == pytest.approx(length)


def test_loss_during_a_disturber_is_separated_from_the_rest() -> None:
    """On in the second window and half of the third; the fifth was slow without it."""
    hit = marks([1, 2, 2, 1, 3, 1])
    second = 1_000_000_000
    begin = int(hit.at_ns[1])
    found = alongside(
        hit, np.array([1.0, 2, 2, 1, 3, 1]), np.ones(6), [(begin, begin + 3 * second)]
    )
    assert found == Band(1.0, 1.5, 2.0, 1)
    assert alongside(hit, np.ones(6), np.ones(6), []) is None
    spans = {"hit": [(begin, begin + 3 * second)]}
    known = truths(fleet(hit=[1, 2, 2, 1, 3, 1, 1, 1, 1, 1]), spans=spans)
    assert known["hit"].alongside == found and known["plain0"].alongside is None


def writing(
    dice: np.random.Generator, *, scatter: float, slower: float = 1.0, late: tuple[int, ...] = ()
) -> Marks:
    """Makes a run that computes 90 ms and then stores for about 25 ms, 80 times."""
    compute = 0.09 * slower * (1 + 0.005 * np.abs(dice.normal(size=80)))
    stored = 0.025 * np.exp(scatter * dice.normal(size=80))
    for window in late:
        stored[window] += 0.1
    at = np.cumsum([0.0, *(compute + stored)]) * 1e9 + 5e9
    return Marks(np.arange(81), at.astype(np.int64), np.concatenate([[0.0], np.cumsum(stored)]))


@pytest.mark.parametrize("scatter", [0.0, 0.1, 0.2, 0.4])
def test_file_calls_that_scatter_by_themselves_are_no_loss(scatter: float) -> None:
    """The shortest time of each window, from another run each, would make every run lose."""
    dice = np.random.default_rng(7)
    runs = {f"run{number}": writing(dice, scatter=scatter) for number in range(22)}
    found = [each.total for each in truths(runs).values()]
    assert abs(np.median(found)) < 1 + 3 * scatter
    blind = {name: Marks(each.done, each.at_ns) for name, each in runs.items()}
    if scatter >= 0.2:  # what was reported before file calls were distinguished
        assert np.median([each.total for each in truths(blind).values()]) > 5


def test_what_runs_with_file_calls_really_lost() -> None:
    dice = np.random.default_rng(8)
    runs = {f"run{number}": writing(dice, scatter=0.2) for number in range(20)}
    runs["late"] = writing(dice, scatter=0.2, late=tuple(range(20)))
    runs["slow"] = writing(dice, scatter=0.2, slower=1.1)
    found = truths(runs)
    usual = np.median([found[f"run{number}"].total_s for number in range(20)])
    assert found["late"].total_s - usual == pytest.approx(2.0, abs=0.25)
    assert found["slow"].total_s - usual == pytest.approx(0.72, abs=0.25)
    fine = resolution(runs)
    assert fine is not None and fine.total < 0.5
