"""A short simulated day with every fault; and that a lost or doubled slice would be seen."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import native
from jostle.repository import Repository
from jostle_lab.validation.scale.day import DaySpec, simulate_day
from jostle_lab.validation.scale.faults import KINDS
from jostle_lab.validation.scale.services import Sleepers, can_pretend
from jostle_lab.validation.scale.spools import SimulatedSite
from jostle_lab.validation.scale.truth import compare

_START = 1_700_000_000 // 4


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SimulatedSite]:
    """Spools of an hour: a clock that is set, a node that fails."""
    sleepers = Sleepers(2)
    site = SimulatedSite(tmp_path / "spools", 4, _START, sleepers.ids, 1)
    site.nodes[1].behind = 50
    for minute in range(60):
        site.advance(15)
        if minute == 20:
            site.nodes[1].set_clock()
        if minute == 30:
            site.nodes[2].fail()
        if minute == 35:
            site.nodes[2].boot()
    site.end()
    yield site
    sleepers.end()


def ingested(site: SimulatedSite, folder: Path) -> Repository:
    store = Repository(folder, create=True)
    store.ingest([node.spool for node in site.nodes])
    return store


def test_a_direct_ingest_has_what_was_written(site: SimulatedSite, tmp_path: Path) -> None:
    store = ingested(site, tmp_path / "r")
    result = compare(store, site.truths)
    assert result.is_same, result
    assert result.unsure > 0
    assert (
        result.slices + result.arrived
        == store.query("SELECT count(*) AS n FROM slices")["n"][0].as_py()
    )
    hour = (_START * 4 // 3600 + 1) * 3600  # a full one after 47 minutes
    store.expire(time.time() - hour - 60)
    rest = compare(store, site.truths)
    assert rest.is_same, rest
    assert 0 < rest.slices < result.slices
    store.close()


def test_a_difference_is_seen(site: SimulatedSite, tmp_path: Path) -> None:
    store = ingested(site, tmp_path / "r")
    truths, first = site.truths, site.truths[0]
    more = replace(first, slices=first.slices + 1, safe=first.safe + 1)
    assert compare(store, [more, *truths[1:]]).lost == 1
    less = replace(first, slices=first.slices - 1, safe=first.safe - 1)
    assert compare(store, [less, *truths[1:]]).doubled == 1
    assert compare(store, truths[1:]).doubled == first.slices
    late = replace(first, first=first.first + 1)
    assert compare(store, [late, *truths[1:]]).wrong
    other = replace(first, program=truths[-1].program)
    assert other.program is not first.program
    assert compare(store, [other, *truths[1:]]).wrong
    store.close()


@pytest.mark.in_turn
def test_a_day_with_every_fault_loses_nothing(tmp_path: Path) -> None:
    if native("jostle-ship") is None or os.geteuid() != 0 or not can_pretend(tmp_path):
        pytest.skip("needs jostle-ship, root, and mount namespaces")
    result = simulate_day(DaySpec(nodes=4, processes=3, minutes=20, settle_s=120), tmp_path)
    assert {kind for _, kind in result.happened} >= KINDS.keys() - {"spark"}
    assert result.truth.is_same, result.truth
    assert result.truth.slices > 2000
    assert result.errors == []
