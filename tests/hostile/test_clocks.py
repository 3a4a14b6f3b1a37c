"""Clocks that are wrong by years: no data are lost, and the clocks are named."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support import expected_keys, make_profile, newer, stored_keys

from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.maintenance import compact

TEN_YEARS = 10 * 31_556_952


def test_a_clock_that_is_years_ahead_empties_nothing(store: Repository, spool: Path) -> None:
    made = [make_profile(number) for number in range(3)]
    for profile in made:
        profile.write(spool)
    store.ingest([spool])
    with pytest.raises(RepositoryError, match="No slices would be left") as error:
        compact.expire(store.path, 30 * 86400, now_s=time.time() + TEN_YEARS)
    assert "clock" in error.value.hint
    assert stored_keys(store) == expected_keys(made)


def test_what_was_not_taken_is_not_removed(store: Repository, spool: Path) -> None:
    newer(store)
    store.expire(3600)
    path = make_profile(1).write(spool)
    ingester = Ingester(store.path, remove=True)
    report = ingester.run([spool])
    assert (report.expired, report.removed, report.finished) == (1, 0, 0)
    assert path.exists()
    assert ingester.run([spool]).expired == 0  # said once


def test_commits_from_the_future_are_named(
    store: Repository, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_profile(1).write(spool)
    with monkeypatch.context() as ahead:
        now = time.time_ns
        ahead.setattr(time, "time_ns", lambda: now() + TEN_YEARS * 10**9)
        store.ingest([spool])
    report = Repository(store.path).ingest([spool])
    assert any("hours ahead of this machine" in one for one in report.warnings)
