"""Accesses to others' jobs are recorded on disk before they are answered."""

from __future__ import annotations

import json
import os

import pytest
from server_fixtures import UIDS, Hall, hall

from jostle.server.access import Viewer
from jostle.server.access.audit import ACCESS_S, Audit, AuditError
from jostle.server.access.files import AccessError

SUE = Viewer("sue", None, "support", address="192.0.2.7")


@pytest.fixture
def watched(injected, users, tmp_path):
    return hall(injected, tmp_path / "audit.jsonl")


def jobs(hall: Hall) -> dict[str, str]:
    """Owner -> a job of his."""
    rows = hall.guest("adam").get("/api/v1/jobs?limit=500").json()["jobs"]
    return {
        name: next(row["job"] for row in rows if row["uid"] == uid) for name, uid in UIDS.items()
    }


def test_a_look_is_one_line(watched):
    found = jobs(watched)
    assert watched.audit.read_text() == ""  # the list is no look
    sue = watched.guest("sue", **{"X-Forwarded-For": "192.0.2.7"})
    for _ in range(2):
        for what in ("", "/series", "/grid?metric=bytes"):
            assert sue.get(f"/api/v1/jobs/{found['carl']}{what}").status_code == 200
    watched.guest("anne").get(f"/api/v1/jobs/{found['bert']}")
    watched.guest("anne").get(f"/api/v1/jobs/{found['anne']}")  # her own
    watched.guest("anne").get(f"/api/v1/jobs/{found['carl']}")  # 404
    lines = [json.loads(line) for line in watched.audit.read_text().splitlines()]
    assert [(line["viewer"], line["role"], line["job"], line["owner"]) for line in lines] == [
        ("sue", "support", found["carl"], UIDS["carl"]),
        ("anne", "manager", found["bert"], UIDS["bert"]),
    ]
    assert lines[0]["address"] == "192.0.2.7"
    assert watched.audit.stat().st_mode & 0o777 == 0o600


def test_no_line_no_look(watched):
    found = jobs(watched)
    watched.audit.unlink()
    watched.audit.symlink_to("/dev/full")
    answer = watched.guest("sue").get(f"/api/v1/jobs/{found['carl']}")
    assert answer.status_code == 500 and "recorded" in answer.json()["title"]
    assert watched.guest("carl").get(f"/api/v1/jobs/{found['carl']}").status_code == 200


def test_a_full_disk_is_no_look_and_leaves_no_half_line(tmp_path, monkeypatch):
    path = tmp_path / "audit"
    audit = Audit(path)
    audit.record(SUE, "one", 1)
    before = path.read_bytes()
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda _fd: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(AuditError):
        audit.record(SUE, "two", 1)
    monkeypatch.setattr(os, "fsync", fsync)
    audit.record(SUE, "two", 1)
    assert path.read_bytes().startswith(before)
    assert all(json.loads(line) for line in path.read_bytes().splitlines())


def test_pages_go_back_to_the_first_look(tmp_path, monkeypatch):
    audit = Audit(tmp_path / "audit")
    monkeypatch.setattr("jostle.server.access.audit._CHUNK", 300)
    for number in range(25):
        audit.record(SUE, f"job-{number}", 1)
    seen, before = [], None
    while True:
        looks, before = audit.page(before, 10)
        seen += [look["job"] for look in looks]
        if before is None:
            break
    assert seen == [f"job-{number}" for number in reversed(range(25))]
    assert audit.page(10**9, 1)[0][0]["job"] == "job-24"
    assert audit.page(3, 10) == ([], None)  # amid a line


def test_the_administrator_reads_it(watched):
    found = jobs(watched)
    watched.guest("sue").get(f"/api/v1/jobs/{found['carl']}")
    reported = watched.guest("adam").get("/api/v1/audit").json()
    assert [look["job"] for look in reported["looks"]] == [found["carl"]]
    assert watched.guest("sue").get("/api/v1/audit").status_code == 403


def test_a_look_counts_again_after_a_while(tmp_path, monkeypatch):
    audit, now = Audit(tmp_path / "audit"), [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for at in (0, ACCESS_S - 1, ACCESS_S + 1):
        now[0] = at
        audit.record(SUE, "job", None)
    assert len((tmp_path / "audit").read_text().splitlines()) == 2


def test_a_server_that_cannot_record_does_not_start(tmp_path):
    with pytest.raises(AccessError, match="cannot be written"):
        Audit(tmp_path / "none" / "audit")
    (tmp_path / "open").touch(0o644)
    with pytest.raises(AccessError, match="mode 0644"):
        Audit(tmp_path / "open")
