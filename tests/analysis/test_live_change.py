"""Change points: slow-downs are found in time, and noise raises no alarm."""

from __future__ import annotations

import math

import numpy as np
from live_maker import noise

from jostle.analysis.live.change import Detector

_FOUND = 200  # slow-downs
_SPREAD = 0.015  # from slice to slice


def test_slow_downs_of_a_tenth_are_found_within_three_slices() -> None:
    rng, late = np.random.default_rng(5), []
    for _ in range(_FOUND):
        at = int(rng.integers(40, 250))
        values = noise(rng, at + 12, _SPREAD)
        values[at:] += math.log(rng.uniform(1.1, 1.5))
        detector, found = Detector(), 99
        for number, value in enumerate(values.tolist()):
            change = detector.add(value)
            if change is not None and change.kind == "slower" and number >= at:
                found = number - at + 1
                break
        late.append(found)
    assert np.mean(np.array(late) <= 3) >= 0.99


def test_at_most_one_false_alarm_in_a_hundred_job_hours() -> None:
    rng, alarms, hours = np.random.default_rng(6), 0, 0.0
    for spread in (0.005, 0.01, 0.015, 0.02):
        for _ in range(50):
            detector = Detector()
            for value in noise(rng, 900, spread).tolist():  # an hour of slices of 4 s
                alarms += detector.add(value) is not None
            hours += 1
    assert hours == 200 and alarms <= 2


def test_the_end_of_a_slow_down_is_found_and_the_level_is_as_before() -> None:
    values = noise(np.random.default_rng(7), 200, _SPREAD)
    values[80:120] += math.log(1.4)
    detector, found = Detector(), []
    for number, value in enumerate(values.tolist()):
        if change := detector.add(value):
            found.append((number, change))
    assert [change.kind for _, change in found] == ["slower", "over"]
    (slower, first), (over, second) = found
    assert slower - first.slices + 1 == 80 and 80 <= slower <= 82 and 1.3 < first.ratio < 1.5
    assert 120 <= over <= 122 and second.ratio < 0.8 and abs(detector.quiet_level) < 0.02


def test_what_noise_hides_is_said() -> None:
    calm, rough = Detector(), Detector()
    rng = np.random.default_rng(8)
    for a, b in zip(noise(rng, 300, 0.01).tolist(), noise(rng, 300, 0.1).tolist(), strict=True):
        calm.add(a)
        rough.add(b)
    assert abs(calm.smallest - 0.1) < 1e-9 and 0.3 < rough.smallest < 1.0


def test_the_state_does_not_grow() -> None:
    detector = Detector()
    for value in noise(np.random.default_rng(9), 5000, _SPREAD).tolist():
        detector.add(value)
    assert not detector._first and detector.count <= 300
