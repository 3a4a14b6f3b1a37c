"""Users who forge, shadow and poison files: in one spool, ingested by root."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jostle.repository import Repository

sys.path.insert(0, str(Path(__file__).parents[1]))  # what synthetic profiles are made of
for folder in ("repository", "server"):
    sys.path.insert(0, str(Path(__file__).parents[1] / folder))

from grounds import Grounds, make_grounds  # noqa: E402
from users import Put  # noqa: E402

from synth import Profile, Shorts  # noqa: E402


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """A sticky spool: all may write, and none can remove files of others."""
    folder = tmp_path / "spool"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    """The centre's repository: root's."""
    return Repository(tmp_path / "repository", create=True)


@pytest.fixture
def put(spool: Path) -> Put:
    """Puts a profile into the spool as a file of a user."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")

    def put(made: Profile | Shorts, owner: int, name: str = "") -> Path:
        path = made.write(spool, name or None) if isinstance(made, Profile) else made.write(spool)
        os.chown(path, owner, owner)
        return path

    return put


@pytest.fixture(scope="session")
def grounds() -> Iterator[Grounds]:
    """Grounds in memory, where there is such a place: a disk would only make it slow."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        made = make_grounds(Path(folder))
        yield made
        made.forks.close()
