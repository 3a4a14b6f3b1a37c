"""Errors name the server's folders only to users who may see everything."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from server_fixtures import UIDS, hall

from jostle.repository import Repository
from jostle.server.transport.error_paths import without_folders


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            "The file slices/a.parquet of the repository /srv/repo cannot be read: 12.",
            "The file slices/a.parquet of the repository cannot be read: 12.",
        ),
        ("/srv/repo/merged/b.parquet: 3 of /srv/repo.", "merged/b.parquet: 3 of the repository."),
        (
            "OSError: [Errno 5] '/usr/lib/jostle/native.so' (see /srv/repository/x)",
            "OSError: [Errno 5] 'native.so' (see x)",
        ),
        (
            "No others on /scratch; job a/1/2 wrote 3 GiB/s, 1/2.",
            "No others on /scratch; job a/1/2 wrote 3 GiB/s, 1/2.",
        ),
    ],
)
def test_files_are_named_without_folders(text: str, reported: str) -> None:
    assert without_folders(text, Path("/srv/repo")) == reported


def test_an_ordinary_user_does_not_learn_where_the_repository_lies(
    injected: Path, tmp_path: Path, users: None
) -> None:
    path = tmp_path / "repository"
    shutil.copytree(injected, path)
    for table in ("rollup", "slices"):
        for file in path.glob(f"{table}/**/*.parquet"):
            file.write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    made = hall(path, tmp_path / "audit.log")
    owners = {uid: name for name, uid in UIDS.items()}
    row = Repository(path).jobs().to_pylist()[0]
    where = f"/api/v1/jobs/{row['job']}"
    for what in ("series?metric=bytes", "grid?metric=cpu"):
        for name in (owners[row["uid"]], "sue"):
            said = made.guest(name).get(f"{where}/{what}").headers["X-Jostle-Damage"]
            assert (".parquet" in said, tmp_path.name in said) == (True, False)
    for what in ("verdict?wait_s=10", "segments"):
        for name, knows in ((owners[row["uid"]], False), ("sue", True)):
            status, end = 202, time.monotonic() + 120
            while status == 202 and time.monotonic() < end:  # it is being assessed
                answer = made.guest(name).get(f"{where}/{what}")
                status = answer.status_code
            assert status == 500
            assert ".parquet" in answer.text
            assert (str(tmp_path) in answer.text) == knows, what
