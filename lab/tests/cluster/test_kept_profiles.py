"""A lab that goes down keeps the profiles that were not ingested."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "repository"))
from support import make_profile

from jostle.reader import find_profiles
from jostle.repository import Repository
from jostle_lab.cli.commands import lab


def test_what_was_not_ingested_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "default_repository", lambda: tmp_path / "repository")
    monkeypatch.setattr(lab.tempfile, "tempdir", str(tmp_path))
    spools = [tmp_path / "lab" / "local" / node / "spool" for node in ("node1", "node2")]
    for number, spool in enumerate(spools):
        spool.mkdir(parents=True)
        make_profile(number, f"job{number}").write(spool)
    first = lab._keep_profiles(tmp_path / "lab")
    assert (first.files, first.jobs) == (2, ["job0", "job1"])
    assert len(find_profiles([first.folder])) == 2
    store = Repository(tmp_path / "repository", create=True)
    store.ingest(spools[:1])
    second = lab._keep_profiles(tmp_path / "lab")
    assert (second.files, second.jobs) == (1, ["job1"])
    store.ingest(spools[1:])
    assert lab._keep_profiles(tmp_path / "lab") is None
