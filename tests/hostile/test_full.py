"""A full disk, at any point: one line says so, and with space again everything is there once.

That of a spool is the runtime's (tests/runtime/test_spool.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import Outcome
from grounds import Grounds, copy_of
from operations import content

from jostle.repository import Repository

SIZES = (4, 8, 12, 16, 20, 28, 36, 44, 52, 60)  # KiB; an ingest needs more


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A ground whose repository is a small disk, empty; `resize` says its size."""
    folder = tmp_path / "ground" / "repository"
    folder.mkdir(parents=True)
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "disk", folder]).returncode:
        pytest.skip("no mounts here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def resize(disk: Path, kib: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kib}k", disk], check=True)


def fill(disk: Path) -> Path:
    """Fills the disk to the last byte."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    return path


def reported_in_two_lines(done: Outcome, disk: Path) -> None:
    """Checks that two lines name the full disk and the fix."""
    lines = done.said["err"].strip().splitlines()
    assert (done.said["code"], len(lines)) == (1, 2), lines
    assert str(disk) in lines[0] and "No space left" in lines[0]
    assert "fix:" in lines[1] and "free some space" in lines[1]


@pytest.fixture(scope="module")
def ingested(grounds: Grounds, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The content of a repository that had space for the whole spool."""
    truth = Repository(tmp_path_factory.mktemp("truth"), create=True)
    truth.ingest([grounds.folder / "plain" / "spool"])
    return content(truth.path)


@pytest.mark.in_turn
@pytest.mark.parametrize("kib", SIZES)
def test_an_ingest_that_fills_its_disk(
    disk: Path, grounds: Grounds, ingested: dict[str, list[Any]], kib: int
) -> None:
    spool, do = disk.parent / "spool", grounds.forks.run
    shutil.copytree(grounds.folder / "plain" / "spool", spool)
    resize(disk, kib)
    reported_in_two_lines(do("ingest", disk.parent, look=False), disk)
    resize(disk, 64 << 10)
    assert do("ingest", disk.parent, look=False).said["code"] == 0
    assert content(disk) == ingested
    assert Repository(disk).check().damaged == []
    assert not list(spool.glob("*.js[tp]"))


@pytest.mark.in_turn
@pytest.mark.parametrize("what", ["ingest", "compact", "expire"])
def test_no_room_at_all(disk: Path, grounds: Grounds, tmp_path: Path, what: str) -> None:
    """Whatever is begun on a full disk is said to have failed, and can be done later."""
    plain, do = grounds.folder / "plain", grounds.forks.run
    calm = copy_of(plain, tmp_path / "calm")
    assert do(what, calm, look=False).said["code"] == 0
    for name in ("spool", "repository"):
        shutil.copytree(plain / name, disk.parent / name, dirs_exist_ok=True)
    for path in disk.rglob("*left*"):
        path.unlink()  # else a compaction makes room with these
    filler = fill(disk)
    reported_in_two_lines(do(what, disk.parent, look=False), disk)
    assert Repository(disk).check().damaged == []
    filler.unlink()
    assert do(what, disk.parent, look=False).said["code"] == 0
    assert content(disk) == content(calm / "repository")


def test_a_compaction_makes_room_first(disk: Path, grounds: Grounds) -> None:
    """On a full disk what nobody names goes before anything is written."""
    shutil.copytree(grounds.folder / "plain" / "repository", disk, dirs_exist_ok=True)
    stray = disk / "slices" / "stray.parquet"
    stray.write_bytes(bytes(1 << 20))
    os.utime(stray, (0, 0))
    fill(disk)
    assert grounds.forks.run("compact", disk.parent, look=False).said["code"] == 0
    assert not stray.exists()
