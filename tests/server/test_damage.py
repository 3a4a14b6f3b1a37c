"""A damaged file of the repository: which pages say so, and how."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from jostle.server import Access, create_app


@pytest.mark.parametrize(
    ("table", "broken", "whole"),
    [
        ("slices", "jobs/{job}/grid?metric=cpu", "jobs/{job}/series?metric=bytes"),
        ("rollup", "jobs/{job}/series?metric=bytes", "jobs/{job}/grid?metric=cpu"),
    ],
)
def test_who_needs_it_names_it_and_nobody_else(
    planted: Path, tmp_path: Path, table: str, broken: str, whole: str
) -> None:
    path = tmp_path / "repository"
    shutil.copytree(planted, path)
    for file in (path / table).rglob("*.parquet"):
        data = file.read_bytes()
        file.write_bytes(data[:4] + bytes(len(data) - 12) + data[-8:])
    access = Access()
    headers = {"Authorization": f"Bearer {access.token}"}
    client = TestClient(create_app(path, access, tmp_path / "cache"), "http://localhost/api/v1/",
                        headers=headers, raise_server_exceptions=False)  # fmt: skip
    job = client.get("jobs").json()["jobs"][0]["job"]
    answer = client.get(broken.format(job=job))
    assert answer.status_code == 500
    told = answer.json()
    assert told["title"].startswith(f"{table}/")
    assert told["title"].endswith(".parquet cannot be read.")
    assert "Restore it" in told["mend"]
    assert told["detail"]
    assert str(tmp_path) not in answer.text
    assert client.get(whole.format(job=job)).status_code == 200
