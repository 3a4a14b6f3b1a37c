"""Random numbers: as documented, distributed as numpy's, and the same on every machine."""

from __future__ import annotations

import math
import subprocess

import numpy as np
import pytest
from injected import ROOT, compiled
from numpy.typing import NDArray

from jostle_lab.inject.schedule import place

CALLS = 40_000
MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def draw(rules: str, count: int = CALLS) -> NDArray[np.int64]:
    """Delays of the first calls: -1 (none), or nanoseconds."""
    source = ROOT / "lab" / "inject"
    parts = [str(source / name) for name in ("random_delays.c", "rules.c")]
    program = compiled("draw.c", f"-I{source}", "-ffp-contract=off", "-fno-math-errno", *parts)
    words = [str(program), f"calls=barrier {rules} log=/nowhere", str(count)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return np.array(done.stdout.split(), np.int64)


def mix(x: int) -> int:
    """The function of this name in lab/inject/random_delays.c, written a second time."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def uniform(seed: int, n: int, draw: int) -> float:
    """The same, for rank 3, place 0, class 5."""
    key = mix(seed + STEP & MASK)
    key = mix(key ^ 3 + 1)
    key = mix(key ^ 0)
    key = mix(key + 5 * STEP & MASK)
    return ((mix(key + (n * 64 + draw + 1) * STEP & MASK) >> 11) + 0.5) * 2.0**-53


def test_the_numbers_are_those_of_a_second_implementation() -> None:
    due = draw("seed=42 probability=0.25 delay=fixed:7ns", 2000)
    assert due.tolist() == [7 if uniform(42, n, 0) < 0.25 else -1 for n in range(2000)]
    heavy = draw("seed=1 delay=pareto:1ms,1.5,10s", 500)
    wanted = [1e6 * uniform(1, n, 1) ** (-1 / 1.5) for n in range(500)]
    assert np.abs(heavy - wanted).max() <= 1
    normal = draw("seed=1 delay=gauss:10ms,1ms", 500)
    pairs = [(uniform(1, n, 1), uniform(1, n, 2)) for n in range(500)]
    wanted = [1e7 + 1e6 * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v) for u, v in pairs]
    assert np.abs(normal - wanted).max() <= 1


@pytest.mark.parametrize("probability", [0, 0.001, 0.3, 1])
def test_as_many_as_asked(probability: float) -> None:
    due = draw(f"seed=7 probability={probability} delay=fixed:1ms") >= 0
    deviation = math.sqrt(probability * (1 - probability) / CALLS)
    assert abs(due.mean() - probability) <= 4.5 * deviation
    if 0 < probability < 1:  # one call says nothing of the next
        at = np.flatnonzero(due)
        gaps = np.diff(at)
        assert abs(gaps.mean() * probability - 1) < 5 / math.sqrt(len(gaps))
        assert abs(gaps.std() * probability / math.sqrt(1 - probability) - 1) < 8 / math.sqrt(
            len(gaps)
        )


def distance(one: NDArray[np.int64], other: NDArray[np.float64]) -> float:
    """Kolmogorov and Smirnov's distance between two samples, in units of its 1 in 1000 limit."""
    both = np.sort(np.concatenate([one, other]))
    first = np.searchsorted(np.sort(one), both, "right") / len(one)
    second = np.searchsorted(np.sort(other), both, "right") / len(other)
    limit = 1.95 * math.sqrt(1 / len(one) + 1 / len(other))
    return float(np.abs(first - second).max()) / limit


@pytest.mark.parametrize(("mean", "deviation"), [(10.0, 2.0), (1.0, 3.0)])
def test_gauss_is_numpys_without_what_is_below_zero(mean: float, deviation: float) -> None:
    ours = draw(f"seed=3 delay=gauss:{mean}ms,{deviation}ms")
    theirs = np.random.default_rng(3).normal(mean * 1e6, deviation * 1e6, 4 * CALLS)
    assert ours.min() >= 0
    assert distance(ours, theirs[theirs > 0]) < 1


def test_pareto_is_numpys_and_capped() -> None:
    ours = draw("seed=4 delay=pareto:1ms,1.5,50ms")
    theirs = 1e6 * (1 + np.random.default_rng(4).pareto(1.5, CALLS))
    assert distance(ours, np.minimum(theirs, 50e6)) < 1
    assert ours.min() >= 1_000_000 and ours.max() == 50_000_000
    assert 0.5 < (ours == 50_000_000).mean() / 50**-1.5 < 2


@pytest.mark.parametrize(
    "rules",
    [
        "seed=x",
        "probability=1.5",
        "delay=fixed:0ms",
        "delay=fixed:5",
        "delay=gauss:5ms",
        "delay=pareto:1ms,1.5",
        "delay=pareto:2ms,1,1ms",
        "ranks=3-1",
        "ranks=",
        "period=0s",
        "on=2s",
        "place=last",
        "when=now",
        "delay=fixed:99999999999s",
    ],
)
def test_what_is_not_understood_is_named(rules: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        draw(f"{'' if 'delay' in rules else 'delay=fixed:1ms '}{rules}")
    assert rules.split("=")[0] in caught.value.stdout


def test_the_place_in_a_period_is_that_of_the_documentation() -> None:
    source = ROOT / "lab" / "inject"
    parts = [str(source / name) for name in ("random_delays.c", "rules.c")]
    program = compiled("places.c", f"-I{source}", "-ffp-contract=off", "-fno-math-errno", *parts)
    drawn = {}
    for seed, first, places in ((0, 0, 2), (7, 450_000_000, 4), (2**63 - 1, 10**9, 3)):
        words = [str(program), str(seed), str(first), str(places), "3000"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        ours = [place(seed, first + number, places) for number in range(3000)]
        assert [int(word) for word in done.stdout.split()] == ours
        drawn[seed] = ours
        shares = np.bincount(ours, minlength=places) / len(ours)
        assert len(shares) == places
        assert np.abs(shares * places - 1).max() < 4.5 * math.sqrt(places / len(ours))
    # the place in one period says nothing of the next
    same = np.mean(np.diff(drawn[0]) == 0)
    assert abs(same - 0.5) < 0.05


@pytest.mark.parametrize("rules", ["period=2s on=1001ms", "period=2s", "on=0s"])
def test_a_random_place_needs_several(rules: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        draw(f"delay=fixed:1ms place=random {rules}", 1)
    assert "place=random" in caught.value.stdout
