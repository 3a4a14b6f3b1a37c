"""Traffic lights: how thresholds and the interval of a loss decide the light of a run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from jostle.analysis import estimate
from jostle.analysis.estimation.interval import Doubt, doubt
from jostle.analysis.estimation.light import SURE, at_most, lit
from jostle.analysis.interval import Interval
from jostle_lab.synthetic import SPECS, trace
from jostle_lab.validation.synthetic import traces


def test_clean_runs_of_which_little_could_be_assessed_are_not_called_yellow_or_red() -> None:
    """NPB MG, class B, two ranks, 3.7 s: nothing was lost, 16 % (4.1 to 38) reported of 30 %."""
    for low, value, high in ((4.1, 16.0, 38.0), (1.5, 12.0, 30.0)):
        found = lit(Interval(value, low, high), 0.3, ("unseen", "unseen"))
        assert found.light is None
        assert found.sure < SURE
        assert found.undecided
        assert found.decided_by.startswith("a longer run")


@pytest.mark.parametrize(
    ("percent", "light"),
    [
        ((0, 0, 3), "green"),
        ((4, 1, 7.5), "green"),
        ((7.5, 7.5, 7.5), "yellow"),
        ((7.4, 4, 11), None),
        ((7.6, 4, 11), None),
        ((11, 8, 14), "yellow"),
        ((11, 4, 20), None),
        ((15, 11, 20), None),
        ((20, 16, 25), "red"),
        ((20, 0, 21), None),
        ((4.7, 0, 67), None),
    ],
)
def test_a_light_is_shown_where_four_in_five_of_the_interval_are_within_its_borders(
    percent: tuple[float, float, float], light: str | None
) -> None:
    value, low, high = percent
    found = lit(Interval(value, low, high), 1.0)
    assert found.light == light
    assert (found.sure >= SURE) == (light is not None)
    assert bool(found.undecided) == bool(found.decided_by) == (light is None)


def test_how_sure_it_is() -> None:
    """Half of the probability lies above the value, and 2.5 % beyond each end of the interval."""
    found = Interval(10.0, 6.0, 20.0)
    chances = [at_most(border, found) for border in (6, 10, 10 + 10 / 1.96, 20)]
    assert chances == pytest.approx([0.025, 0.5, 0.8413, 0.975], abs=1e-4)
    assert math.isnan(at_most(7.5, Interval(math.nan, 0, 1)))
    assert lit(Interval(math.nan, math.nan, math.nan), 1.0).light is None


def test_what_was_lost_for_certain_counts_however_little_could_be_assessed() -> None:
    assert lit(Interval(30, 20, 50), 0.3).light == "red"
    for percent in (Interval(0, 0, 3), Interval(11, 8, 14)):
        found = lit(percent, 0.3)
        assert (found.light, found.undecided) == (None, "only 30 % of its time could be evaluated")


def test_what_would_decide_it_is_what_makes_the_doubt() -> None:
    """Of an interval that reaches over a border: by that end, and by the most of it."""
    some = {"unsure": np.array([0.1]), "hidden": np.array([0.1]), "seed": 1}
    assert doubt(5, 100, coverage=1.0, **some).most == ("method", "method")
    assert doubt(5, 100, coverage=0.5, **some).most == ("method", "unseen")
    assert doubt(5, 100, coverage=1.0, oversubscribed=True, **some).most == ("shared cores",) * 2
    slow = doubt(5, 100, coverage=1.0, speed=Doubt(1.0, 9.0), **some)
    assert slow.most == ("method", "core speed")
    some["unsure"] = np.full(4, 5.0)
    assert doubt(5, 100, coverage=1.0, **some).most == ("few alike", "few alike")
    some["hidden"] = np.full(40, 1.0)
    assert doubt(5, 100, coverage=1.0, **some).most == ("few alike", "scatter")

    doubts = ("few alike", "core speed")
    assert "core-speed probe" in lit(Interval(7, 4, 11), 1.0, doubts).decided_by
    assert "more of the same work" in lit(Interval(16, 9, 20), 1.0, doubts).decided_by
    assert "core-speed probe" in lit(Interval(14, 11, 20), 1.0, doubts).decided_by
    assert "more of the same work" in lit(Interval(8, 4, 12), 1.0, doubts).decided_by


def test_an_estimate_has_the_light_of_its_interval() -> None:
    found = estimate(trace(SPECS["clean-content"], 4)[0])
    assert (found.light, found.to_json()["light"], found.to_json()["klass"]) == (
        "green",
        "green",
        "low",
    )
    wide = replace(found, percent=Interval(7.0, 2.0, 12.0))
    content = wide.to_json()
    assert (wide.light, content["light"], content["klass"]) == (None, None, None)
    assert (content["likely"], content["sure"]) == ("green", pytest.approx(0.58, abs=0.01))
    assert wide.advice == content["advice"] == "cannot be called fit"


def test_decided_lights_of_made_up_runs_are_right() -> None:
    """To the nanosecond it is known what each lost: of what is decided 19 of 20 must be right."""
    found = traces(1)
    every = [one for one in found.scores if one.code in ("all", "sustained")]
    runs, decided, right, long, open_ = (
        sum(getattr(one.lights, name) for one in every)
        for name in ("runs", "decided", "right", "long", "long_undecided")
    )
    assert runs == len(found.rows) >= 30
    assert right >= 0.95 * decided
    assert open_ <= 0.25 * long
    # The lights of a run were a guess where its loss is near a border, had they all been shown.
    assert decided < runs
