"""Drops by periodic signals: where they are, how deep, and that noise causes none."""

from __future__ import annotations

import numpy as np
import pytest

from jostle_lab.analysis.study.imprint import (
    bursts_between,
    bursts_seen_in,
    drops,
    false_rate,
    probability,
)
from jostle_lab.analysis.study.pairs import JobProgress

S = 1_000_000_000
SLICE = 4 * S


def probe(depth: float, periods: int = 8, noise: float = 0.02, seed: int = 1, duty: int = 3):
    """A probe in slices of 4 s; every 24 s it loses something for `duty` slices."""
    generator = np.random.default_rng(seed)
    rate = np.tile([100 * (1 - depth)] * duty + [100.0] * (6 - duty), periods)
    rate = rate * (1 + noise * generator.standard_normal(len(rate)))
    return JobProgress("probe", SLICE, 6000, np.maximum(rate, 0)[None, :] * 4)


def bursts(periods: int = 8, duty: float = 0.5) -> list[tuple[int, int]]:
    return bursts_between(6000 * SLICE, (6000 + 6 * periods) * SLICE, 24 * S, duty, 0)


def test_bursts_by_their_rule():
    assert bursts(2) == [(24000 * S, 24012 * S), (24024 * S, 24036 * S)]
    assert bursts_between(5 * S, 50 * S, 24 * S, 0.5, 2 * S) == [(5 * S, 14 * S), (26 * S, 38 * S)]
    assert bursts_between(13 * S, 20 * S, 24 * S, 0.5, 0) == []


def test_bursts_of_an_application_are_taken_from_its_slices():
    signal = JobProgress("signal", 10, 5, np.array([[0, 1, 2, 0, 0, 4.0], [0, 0, 1, 1, 0, 0]]))
    assert bursts_seen_in(signal) == [(60, 90), (100, 110)]
    assert bursts_seen_in(JobProgress("none", 10, 0, np.zeros((0, 0)))) == []


def test_every_burst_leaves_its_dent():
    found = drops(probe(0.5), bursts())
    assert len(found) == 8
    assert all(drop.seen for drop in found)
    assert [drop.depth for drop in found] == pytest.approx([0.5] * 8, abs=0.04)
    assert found[0].begin_ns == bursts()[0][0]
    assert found[0].off == pytest.approx(100, rel=0.05)
    assert found[0].on == pytest.approx(50, rel=0.05)


def test_a_burst_that_missed_is_not_seen():
    progress = probe(0.3)
    values = progress.values.copy()
    values[0, 18:21] = 400.0  # the fourth burst does nothing
    found = drops(JobProgress("probe", SLICE, 6000, values), bursts())
    assert [drop.seen for drop in found] == [True] * 3 + [False] + [True] * 4


def test_a_burst_that_began_in_its_midst_is_no_period_and_no_silence():
    late = [
        (begin + (6 * S if number == 0 else 0), end) for number, (begin, end) in enumerate(bursts())
    ]
    length = bursts()[0][1] - bursts()[0][0]
    assert len(drops(probe(0.5), late)) == 8
    found = drops(probe(0.5), late, length)
    assert len(found) == 7 and all(drop.seen for drop in found)
    whole = drops(probe(0.5), bursts(), length)
    # The half burst is left out of the silence before the second one, too.
    assert found[0].off == pytest.approx(whole[1].off, rel=0.05)


def test_noise_leaves_no_dents():
    seen = [drop.seen for seed in range(60) for drop in drops(probe(0, seed=seed), bursts())]
    assert sum(seen) / len(seen) < 0.03


def test_a_fallen_level_is_no_dent():
    """Silence around a burst counts, not the whole run: a probe that slows has no imprint."""
    rate = np.linspace(200, 50, 48)[None, :]
    found = drops(JobProgress("probe", SLICE, 6000, rate), bursts())
    assert not any(drop.seen for drop in found)


def test_probe_that_is_still_or_absent():
    assert drops(JobProgress("probe", SLICE, 6000, np.zeros((1, 48))), bursts()) == []
    assert drops(JobProgress("probe", SLICE, 6000, np.zeros((0, 0))), bursts()) == []
    assert drops(probe(0.5), []) == []
    steady = JobProgress("probe", SLICE, 6000, np.ones((1, 48)))
    assert [drop.depth for drop in drops(steady, bursts())] == [0] * 8
    assert not any(drop.seen for drop in drops(steady, bursts()))


def test_bursts_within_a_slice_prove_nothing():
    short = [(begin + S, begin + 2 * S) for begin, _ in bursts()]
    assert all(drop.p is None and not drop.seen for drop in drops(probe(0.5), short))


def test_false_rate_of_quiet_and_of_wavy_runs():
    quiet = [probe(0, seed=seed) for seed in range(5)]
    assert false_rate(quiet, 24 * S, 12 * S) == pytest.approx(0, abs=0.05)
    assert false_rate([], 24 * S, 12 * S) is None
    # Bursts laid where a load really was are "seen": the test is not blind. They begin with the
    # first whole slice, one after the probe.
    wavy = JobProgress("probe", SLICE, 6000, np.roll(probe(0.5).values, 1))
    assert (false_rate([wavy], 24 * S, 12 * S) or 0) > 0.9


def test_probability_that_a_burst_hits():
    """CLUSTER'13: four or five of ten; exact intervals of Clopper and Pearson."""
    assert probability(4, 10) == pytest.approx((0.4, 0.12155, 0.73762), abs=1e-4)
    assert probability(5, 10) == pytest.approx((0.5, 0.18709, 0.81291), abs=1e-4)
    assert probability(10, 10) == pytest.approx((1, 0.69150, 1), abs=1e-4)
    assert probability(0, 0) == (None, None, None)
