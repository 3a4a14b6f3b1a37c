"""A damaged file of the repository: which pages report it, and how."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from jostle.server import Access, create_app


@pytest.mark.parametrize(
    ("table", "about"),
    [("slices", "jobs/{job}/grid?metric=cpu"), ("rollup", "jobs/{job}/series?metric=bytes")],
)
def test_answers_show_the_rest_and_say_what_is_missing(
    injected: Path, tmp_path: Path, table: str, about: str
) -> None:
    path = tmp_path / "repository"
    shutil.copytree(injected, path)
    for file in (path / table).rglob("*.parquet"):
        data = file.read_bytes()
        file.write_bytes(data[:4] + bytes(len(data) - 12) + data[-8:])
    access = Access()
    headers = {"Authorization": f"Bearer {access.token}"}
    client = TestClient(
        create_app(path, access, tmp_path / "cache"),
        "http://localhost/api/v1/",
        headers=headers,
        raise_server_exceptions=False,
    )
    job = client.get("jobs").json()["jobs"][0]["job"]
    answer = client.get(about.format(job=job))
    assert answer.status_code == 200
    said = unquote(answer.headers["X-Jostle-Damage"])
    assert said.startswith(f"{table}/")
    assert ".parquet cannot be read (" in said
    assert "`jostle repository check --fix`" in said
    assert str(tmp_path) not in said
