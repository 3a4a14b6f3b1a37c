"""Growing costs differ from constant ones; a storm of nodes loses nothing; an hour more fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.repository import Repository
from jostle_lab.validation.scale.growth import (
    WHAT,
    Measured,
    growth_of,
    growth_table,
    one_more_hour,
)
from jostle_lab.validation.scale.passes import PassCost, measure_passes, model_of
from jostle_lab.validation.scale.sizing import UnitCosts, sizing_table
from jostle_lab.validation.scale.storm import StormSpec, simulate_storm


def measured(slope: float) -> list[Measured]:
    """Sites whose `open_ms` grows by a share per day; all else is flat but for some noise."""
    noise = {8: (0.0, 0.01, -0.01), 16: (0.0, -0.01, 0.01), 32: (0.0, 0.0, 0.005)}
    return [
        Measured(
            days,
            nodes,
            1000,
            {
                name: nodes * (1 + jitter + (slope * days if name == "open_ms" else 0))
                for name in WHAT
            },
        )
        for nodes in noise
        for days, jitter in zip((1, 10, 30), noise[nodes], strict=True)
    ]


@pytest.mark.parametrize(("slope", "grows"), [(0.0, False), (0.02, True)])
def test_growth(slope: float, grows: bool) -> None:
    every = measured(slope)
    growth = growth_of(every)
    assert [name for name, each in growth.items() if each.grows] == ["open_ms"] * grows
    opening = growth["open_ms"]
    assert opening.low < 100 * slope / (1 + slope) < opening.high
    assert sum("GROWS" in line for line in growth_table(every)) == grows


def test_one_more_hour_costs_something(tmp_path: Path) -> None:
    Repository(tmp_path / "r", create=True)
    cpu_us, mib = one_more_hour(tmp_path / "r", tmp_path / "spools", passes=2)
    assert cpu_us > 0
    assert mib > 50


def test_a_pass_costs_what_its_profiles_and_slices_cost(tmp_path: Path) -> None:
    costs = [
        PassCost(profiles, slices, 0.01 + 40e-6 * profiles + 2e-6 * profiles * slices, 0, 0.001)
        for profiles in (100, 1000)
        for slices in (1, 10, 100)
    ]
    model = model_of(costs)
    assert (model.profile_us, model.slice_us) == pytest.approx((40, 2))
    assert model.cores(1000, 48, 4) == pytest.approx(48_000 * 42e-6 / 4)
    table = sizing_table(costs, UnitCosts(1000, 2000, 8))
    assert "| network of all nodes, MB/s, at most | 0.2 | 2.0 | 20.0 |" in table
    assert "| receiver, cores used | 0.03 | 0.25 | 0.50 |" in table
    (cost,) = measure_passes([48], [2], tmp_path)
    assert cost.profiles == 48
    assert cost.bytes > 0


@pytest.mark.in_turn
def test_a_storm_loses_nothing(tmp_path: Path) -> None:
    result = simulate_storm(StormSpec(nodes=8, processes=2, minutes=5), tmp_path)
    assert result.truth.is_same, result.truth
    assert result.truth.slices == 8 * 2 * 75
    assert result.posts >= 8
    assert result.statuses == {"200": result.posts}
