"""One user's many or large files do not keep the others waiting."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_profile
from users import U1, U2, Put

from jostle.repository import Repository
from jostle.repository.ingest import fair_batches as shares
from jostle.repository.ingest import ingest
from jostle.repository.ingest.ingest import Ingester


def job_rows(store: Repository) -> dict[str, int]:
    found = store.query("SELECT job, count(*) AS rows FROM slices GROUP BY job").to_pylist()
    return {row["job"]: row["rows"] for row in found}


@pytest.mark.in_turn
def test_who_has_little_is_done_in_the_first_turn(
    store: Repository, spool: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [put(make_profile(n, "flood", slices=200), U1).stat().st_size for n in range(30)]
    put(make_profile(40, "brief"), U2, "zz-last.jst")
    monkeypatch.setattr(shares, "_OWNER_BYTES", 3 * max(sizes))
    ingester = Ingester(store.path)
    first = ingester.turn([spool])
    assert job_rows(store)[f"brief@uid{U2}"] == 11
    assert 0 < first.left < 30
    whole = ingester.run([spool])
    assert whole.left == 0
    assert job_rows(store) == {f"flood@uid{U1}": 30 * 201, f"brief@uid{U2}": 11}


@pytest.mark.in_turn
def test_a_long_profile_goes_on_in_the_next_turn(
    store: Repository, spool: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(make_profile(1, "long", slices=900), U1)
    monkeypatch.setattr(ingest, "_BATCH_ROWS", 100)
    ingester = Ingester(store.path)
    first = ingester.turn([spool])
    assert (first.left, first.commits) == (1, 2)
    assert 0 < job_rows(store)[f"long@uid{U1}"] < 900
    whole = ingester.run([spool])
    assert (whole.left, whole.finished) == (0, 1)
    assert job_rows(store) == {f"long@uid{U1}": 901}


def test_damaged_files_do_not_take_the_turn_of_good_ones(
    store: Repository, spool: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of one user alone: the others are not concerned."""
    for number in range(5):
        path = put(make_profile(number, "flood", slices=200), U1, f"{number}.jst")
        with path.open("r+b") as file:
            file.write(b"nonsense")
    put(make_profile(9, "good"), U1, "z.jst")
    monkeypatch.setattr(shares, "_OWNER_BYTES", path.stat().st_size)
    report = Ingester(store.path).run([spool])
    assert report.left == 0
    assert len(report.warnings) == 5
    assert job_rows(store) == {f"good@uid{U1}": 11}
