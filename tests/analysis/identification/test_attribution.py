"""Attribution of losses: injected losses by a job with a profile, and by one without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from alongside_maker import MIB, MOUNT, SLICE_NS, START, bursts, writer

from jostle.analysis import identify
from jostle.analysis.estimation.model import Hit
from jostle.analysis.interval import Interval
from jostle.report.verdict.attribution import attribute

SIZE = 240


def _slowed(load, strength):
    return strength * np.minimum(load / (50 * MIB), 1)


@pytest.fixture(scope="module")
def injected():
    """A writer that two slowed, of whom only the one is known: split, and the truth per slice."""
    seen, unseen = bursts(SIZE, 1, on=5, off=40), bursts(SIZE, 2, on=8, off=12)
    unseen[seen > 0] = 0
    slowed = 1 + _slowed(seen, 0.8) + _slowed(unseen, 0.8)
    found = identify(writer(slowed, {"noisy": seen, "idle": bursts(SIZE, 3) * 0.5}))
    # 0.01 s a write undisturbed, half of the time between them: the rest of a call is lost.
    lost = 0.01 * (slowed - 1) / (0.01 * slowed + 0.01)
    hits = [
        Hit((START + at) * SLICE_NS, (START + at + 1) * SLICE_NS, seconds, "file system", MOUNT, -1)
        for at, seconds in enumerate(lost.tolist())
        if seconds > 0
    ]
    whole = float(lost.sum())
    split = attribute(Interval(whole, 0.9 * whole, 1.1 * whole), found, hits)
    return split, lost, seen > 0, found


def test_a_suspect_has_what_he_took_and_nobody_the_rest(injected):
    split, lost, seen, _ = injected
    assert [one.job for one in split.suspects] == ["noisy"]
    noisy, rest = float(lost[seen].sum()), float(lost[~seen].sum())
    assert rest > 2 * noisy
    # Slices that were slow without him are what his are compared with: he is named for less
    # than he took, and never for more.
    assert 0.5 * noisy < split.explained_s.value < 1.1 * noisy
    assert split.unexplained_s.value == pytest.approx(rest, rel=0.2)
    assert split.unexplained_s.low <= rest <= split.unexplained_s.high
    assert split.leaves_some


def test_shares_are_of_the_whole_loss_and_add_up(injected):
    split, lost, *_ = injected
    assert split.suspects[0].share == pytest.approx(split.suspects[0].seconds.value / lost.sum())
    assert sum(one.share for one in split.suspects) + split.unexplained_share == pytest.approx(1)


def test_slices_that_lost_time_and_those_of_suspects_are_distinguished(injected):
    split, lost, seen, _ = injected
    assert split.lost_slices == pytest.approx((lost > 0).sum(), abs=3)
    assert split.suspect_slices == pytest.approx(seen.sum(), abs=3)


def test_suspects_explain_no_more_than_there_is(injected):
    *_, found = injected
    less = Interval(0.5 * found.seconds.value, 0.0, 2 * found.seconds.value)
    split = attribute(less, found)
    assert (split.explained_s.value, split.unexplained_s.value) == (less.value, 0.0)
    assert sum(one.share for one in split.suspects) == pytest.approx(1)


def test_what_two_resources_lost_at_once_counts_once(injected):
    """The same seconds on two nodes: a job does not take them twice, and is one suspect."""
    *_, found = injected
    (place,) = [one for one in found.resources if one.evident]
    (suspect,) = found.suspects
    twice = replace(
        found,
        resources=[*found.resources, replace(place, resource="node2")],
        suspects=[suspect, replace(suspect, resource="node2")],
    )
    split, once = (attribute(Interval(100.0, 90.0, 110.0), one) for one in (twice, found))
    assert split.explained_s.value == pytest.approx(once.explained_s.value)
    assert split.suspects[0].resources == ["node2", suspect.resource]


def test_without_suspects_nobody_has_it():
    split = attribute(Interval(3.0, 2.0, 4.0), None)
    assert (split.suspects, split.unexplained_share) == ([], 1.0)
    assert split.unexplained_s == Interval(3.0, 2.0, 4.0)
    assert attribute(Interval(0.0, 0.0, 1.0), None).unexplained_share == 0.0


def test_what_cannot_be_assessed_is_said_with_what_would_make_it_so():
    """Eleven slices where sixteen are needed rule nobody out."""
    load = bursts(11, 4, on=2, off=2)
    found = identify(writer(np.ones(11), {"a": load}))
    assert found.blind is not None
    assert found.blind.blind == (
        "Too few slices: 11 could be evaluated, 16 are needed: run with --slice 250ms, "
        "or 2.2 times as long."
    )
    assert found.to_json()["blind"].startswith(f"object servers of {MOUNT}: Too few slices")
    assert identify(writer(np.ones(160), {"a": bursts(160, 4)})).blind is None
