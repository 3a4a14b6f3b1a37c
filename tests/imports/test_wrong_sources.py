"""Sources that cannot be imported are refused with the reason and a fix."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import jostle
from logs import copies

from jostle.errors import UsageError
from jostle.imports.darshan.finding import find_logs

KINDS = ("sacct", "pbs", "lsf")


def refused(tmp_path: Path, *words: str, stdin: str | None = None) -> str:
    """The error of an import: one sentence, then what to do."""
    done = jostle("import", *words, "--repository", str(tmp_path / "repository"), stdin=stdin)
    assert done.code in (1, 2) and not done.out, done.out
    first, remedy = done.err.splitlines()[:2]
    assert remedy.startswith("  "), done.err
    return first


def test_paths_that_do_not_exist(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    for kind in ("darshan", *KINDS):
        assert f"{gone} does not exist." in refused(tmp_path, kind, gone)
    below = copies(tmp_path / "logs", "ior_hdf5") / "ior_hdf5_example.darshan/log"
    assert f"{below} does not exist." in refused(tmp_path, "darshan", str(below))


def test_folders_without_logs(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("no log")
    assert f"no logs of Darshan in {folder}" in refused(tmp_path, "darshan", str(folder))
    for kind in KINDS:
        assert "Is a directory" in refused(tmp_path, kind, str(folder))


def test_files_of_another_kind(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("this is no log\n" * 3)
    assert "No file could be used as a Darshan log" in refused(tmp_path, "darshan", str(file))
    assert "does not name the columns" in refused(tmp_path, "sacct", str(file))
    for kind in ("pbs", "lsf"):
        assert "No line of" in refused(tmp_path, kind, str(file))


def test_nothing_on_the_standard_input(tmp_path: Path) -> None:
    for kind in KINDS:
        assert "The standard input is empty" in refused(tmp_path, kind, "-", stdin="")
    assert "cannot be read from standard input" in refused(tmp_path, "darshan", "-", stdin="")


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_folders_that_may_not_be_read(tmp_path: Path) -> None:
    folder = copies(tmp_path / "logs", "ior_hdf5")
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        found = find_logs([folder])
        assert len(found.logs) == 1 and found.unread == [(str(closed), "Permission denied")]
        with pytest.raises(UsageError, match="cannot be read: Permission denied"):
            find_logs([closed])
    finally:
        closed.chmod(0o700)


def test_unreadable_folders_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, where the tests run as root."""
    folder = copies(tmp_path / "logs", "ior_hdf5")
    walk, closed = os.walk, str(folder / "closed")

    def refusing(top: Path, onerror):  # type: ignore[no-untyped-def]
        onerror(PermissionError(13, "Permission denied", closed))
        yield from walk(top)

    monkeypatch.setattr(os, "walk", refusing)
    assert find_logs([folder]).unread == [(closed, "Permission denied")]
