"""Windows with and without delays: the difference, its interval, and the interval's coverage."""

from __future__ import annotations

import numpy as np
import pytest

from jostle_lab.validation.within.differences import difference


def drawn(periods: int, places: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which windows have delays, and the numbers of their periods."""
    on = np.zeros((periods, places), dtype=bool)
    on[np.arange(periods), dice.integers(0, places, periods)] = True
    return on.reshape(-1), np.repeat(np.arange(periods) + 450_000_000, places)


def test_a_difference_without_noise() -> None:
    on, period = drawn(8, 2, np.random.default_rng(1))
    found = difference(np.where(on, 12.0, 2.0), on, period)
    assert found.value == pytest.approx(10)
    assert found.low == pytest.approx(10, abs=1e-6) and found.high == pytest.approx(10, abs=1e-6)
    assert found.periods == 8 and not found.holds_zero


def test_the_order_of_windows_does_not_matter() -> None:
    dice = np.random.default_rng(2)
    on, period = drawn(7, 4, dice)
    values = dice.normal(size=28)
    order = dice.permutation(28)
    one, other = (
        difference(values, on, period),
        difference(values[order], on[order], period[order]),
    )
    assert one.value == pytest.approx(other.value)
    assert one.value == pytest.approx(
        np.mean(
            [
                values[(period == k) & on].mean() - values[(period == k) & ~on].mean()
                for k in set(period)
            ]
        )
    )


@pytest.mark.parametrize(("periods", "places"), [(6, 2), (10, 2), (6, 4), (24, 2)])
def test_intervals_hold_what_was_added(periods: int, places: int) -> None:
    """95 % of intervals contain the truth, though the noise is autocorrelated and heavy-tailed."""
    dice = np.random.default_rng(periods * places)
    held = []
    for _ in range(150):
        on, period = drawn(periods, places, dice)
        noise = np.cumsum(dice.normal(size=on.size)) + dice.standard_t(2, on.size)
        found = difference(noise + 5.0 * on, on, period)
        held.append(
            (found.low is None or found.low <= 5) and (found.high is None or found.high >= 5)
        )
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(held))


def test_a_real_difference_is_found() -> None:
    dice = np.random.default_rng(5)
    on, period = drawn(12, 2, dice)
    found = difference(dice.normal(size=24) + 5.0 * on, on, period)
    assert found.low is not None and found.high is not None
    assert 3 < found.low < found.value < found.high < 7


def test_too_few_periods_have_no_interval() -> None:
    on, period = drawn(4, 2, np.random.default_rng(3))  # 2 of 16 draws are as far: p = 0.125
    found = difference(np.random.default_rng(4).normal(size=8), on, period)
    assert found.low is None and found.high is None and found.holds_zero
    nothing = difference(np.zeros(0), np.zeros(0, bool), np.zeros(0, int))
    assert nothing.periods == 0 and np.isnan(nothing.value)


def test_windows_that_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="same number"):
        difference(np.zeros(3), np.array([True, False, True]), np.array([0, 0, 1]))
    with pytest.raises(ValueError, match="One window"):
        difference(np.zeros(4), np.array([True, True, True, False]), np.array([0, 0, 1, 1]))
