"""The file that marks a repository may be lost: its content is also in the log."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support import make_profile

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from command import Done, jostle

from jostle.repository import Repository, RepositoryError
from jostle.repository.store.marker import restore_marker

MARKER = "jostle-repository.json"
#: What may be found in its place; None: nothing.
FLAWS = {
    "gone": None,
    "empty": b"",
    "zeros": bytes(34),
    "cut": b'{"format": "jost',
    "foreign": b"{}",
    "odd": b'{"format": "jostle", "version": "1"}',
}


def damage(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)


@pytest.fixture
def filled(store: Repository, spool: Path) -> Path:
    make_profile(1).write(spool)
    store.ingest([spool])
    return store.path


def command(path: Path, *words: str) -> Done:
    return jostle(*words, JOSTLE_REPOSITORY=str(path))


@pytest.mark.parametrize("flaw", FLAWS)
def test_it_is_written_again(filled: Path, spool: Path, flaw: str) -> None:
    jobs = command(filled, "jobs").out
    damage(filled / MARKER, FLAWS[flaw])
    how = "missing" if flaw == "gone" else "damaged"
    for words in (["jobs"], ["digest", "alpha"], ["ingest", str(spool)], ["repository", "check"]):
        done = command(filled, *words)
        assert done.code == 1
        assert f"{MARKER} is {how}" in done.err
        assert f"jostle repository check --fix --repository {filled}" in " ".join(done.err.split())
    fixed = command(filled, "repository", "check", "--fix")
    assert fixed.code == 0
    assert f"{MARKER} was {how}; it was written again." in fixed.out
    assert json.loads((filled / MARKER).read_text()) == {"format": "jostle", "version": 1}
    assert command(filled, "jobs").out == jobs
    if FLAWS[flaw] is not None:
        assert (filled / "quarantine" / MARKER).read_bytes() == FLAWS[flaw]
    assert "Nothing is damaged" in command(filled, "repository", "check", "--fix").out


def test_nothing_else_is_made_a_repository(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("x")
    with pytest.raises(RepositoryError, match="is not a jostle repository"):
        restore_marker(tmp_path)
    with pytest.raises(RepositoryError, match="no repository at"):
        restore_marker(tmp_path / "nothing")
    assert os.listdir(tmp_path) == ["letter.txt"]


def test_one_without_a_log_cannot_be_restored(filled: Path) -> None:
    for path in (filled / "commits").iterdir():
        path.unlink()
    (filled / "commits").rmdir()
    damage(filled / MARKER, b"")
    with pytest.raises(RepositoryError, match="no log of commits"):
        Repository(filled)
    with pytest.raises(RepositoryError, match="no log of commits"):
        restore_marker(filled)


def test_a_newer_version_is_not_made_an_older_one(filled: Path) -> None:
    (filled / MARKER).write_text('{"format": "jostle", "version": 99}')
    assert restore_marker(filled) == ""
    with pytest.raises(RepositoryError, match="version 99"):
        Repository(filled)
