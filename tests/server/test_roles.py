"""Access: every route and every role, for one's own jobs, managed users' and others'."""

from __future__ import annotations

import re
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from server_fixtures import UIDS, Hall, first_of

TABLE = tomllib.loads(Path(__file__).with_name("roles.toml").read_text())
ROUTES: dict[str, dict[str, Any]] = TABLE["routes"]
#: Role -> who has it; all of them own jobs, or may see every job.
GUESTS = {"user": "carl", "manager": "anne", "support": "sue", "administrator": "adam"}
NO_JOB = "nobody-0000"
#: Pages and their files, the description, ways to log in, and what is none.
UNDESCRIBED = {
    "/assets",
    "/{rest:path}",
    "/api/v1/openapi.json",
    "/login/oidc",
    "/login/return",
    "/api/{rest:path}",
}


@pytest.fixture(scope="module")
def rows(open_hall: Hall) -> dict[str, dict[str, Any]]:
    """All jobs, by name."""
    found = open_hall.guest("adam").get("/api/v1/jobs?limit=500").json()["jobs"]
    assert {row["uid"] for row in found} == set(UIDS.values())
    return {row["job"]: row for row in found}


def owners(role: str) -> dict[str, int]:
    """The owners of the requested jobs, as a role sees them."""
    me = UIDS.get(GUESTS[role], UIDS["dora"])
    other = next(uid for uid in UIDS.values() if uid not in (me, UIDS["bert"]))
    return {"own": me, "managed": UIDS["bert"], "other": other}


def ask(hall: Hall, guest: str | None, route: str, job: str, own: str) -> tuple[int, bytes]:
    """Asks a route about a job; gives status and content."""
    method, path, *_ = route.split(" ")
    entry = ROUTES[route]
    path = path.replace("{job}", job).replace("{own}", own).replace("{name}", "none")
    if query := entry.get("query"):
        path += "?" + query.replace("JOB", job).replace("OWN", own)
    client = hall.guest(guest)
    if path == "/api/v1/live":
        return first_of(hall.app, path, {"X-Remote-User": guest} if guest else {})
    headers = {"Content-Type": "application/json"}
    if method == "POST" and guest:
        headers["X-CSRF-Token"] = client.get("/api/v1/me").json()["csrf"]
    for _ in range(600):
        answer = client.request(method, path, headers=headers, json=entry.get("body"))
        if answer.status_code != 202:  # it is being made: the content is checked later
            break
        time.sleep(0.2)
    return answer.status_code, answer.content


def test_every_route_is_in_the_table(open_hall: Hall):
    paths = open_hall.app.openapi()["paths"]
    routes = {f"{verb.upper()} {path}" for path, verbs in paths.items() for verb in verbs}
    asked = {" ".join(route.split(" ")[:2]).replace("{own}", "{job}") for route in ROUTES}
    assert routes == asked


def test_what_the_openapi_text_leaves_out_is_known(open_hall: Hall):
    """A route that returns data must be in the table."""
    described = set(open_hall.app.openapi()["paths"])
    routes = [
        route
        for entry in open_hall.app.routes  # an included router is one entry
        for route in getattr(getattr(entry, "original_router", None), "routes", [entry])
    ]
    paths = {route.path.replace(":name}", "}") for route in routes}
    assert described <= {path.replace(":path}", "}") for path in paths}
    assert paths - described == UNDESCRIBED


@pytest.mark.parametrize("role", GUESTS)
@pytest.mark.parametrize("route", ROUTES)
def test_role(open_hall: Hall, rows: dict[str, dict[str, Any]], role: str, route: str):
    rule, may = ROUTES[route]["rule"], [200, 204, *ROUTES[route].get("may", [])]
    whose = owners(role)
    jobs = {
        kind: next(job for job, row in rows.items() if row["uid"] == uid)
        for kind, uid in whose.items()
    }
    seen = {whose[kind] for kind in TABLE["sees"][role]}
    sees_all = "other" in TABLE["sees"][role]
    hidden = [job for job, row in rows.items() if not sees_all and row["uid"] not in seen]
    assert sees_all or hidden
    for kind in ("own", "managed", "other", "none") if rule == "job" else ("own",):
        job = jobs.get(kind, NO_JOB)
        status, content = ask(open_hall, GUESTS[role], route, job, jobs["own"])
        if rule == "administrator":
            assert status == (200 if role == "administrator" else 403), kind
        elif rule == "operator":
            assert status in (may if sees_all else [403]), kind
        elif rule == "job" and kind not in TABLE["sees"][role]:
            assert status == 404, kind
            content = content.replace(job.encode(), b"")  # what he has asked for himself
        else:
            assert status in may, (kind, status, content[:300])
        for name in hidden:
            assert name.encode() not in content, f"{kind}: {name} is disclosed"
        for uid in set(UIDS.values()) - seen:
            reported = re.search(rf"(uid|user|owner)\W{{1,4}}{uid}\b".encode(), content)
            assert sees_all or not reported, f"{kind}: {reported} discloses the owner"


@pytest.mark.parametrize("route", ROUTES)
def test_nobody(open_hall: Hall, route: str):
    status, _ = ask(open_hall, None, route, NO_JOB, NO_JOB)
    assert status in ((200, 409) if ROUTES[route]["rule"] == "open" else (401, 403))


def test_the_page_itself_is_no_secret(open_hall: Hall):
    assert open_hall.guest(None).get("/jobs/x").status_code in (200, 500)  # 500: not built here
    assert open_hall.guest(None).get("/assets/none.js").status_code == 404
    assert open_hall.guest(None).post("/jobs").status_code in (401, 403)
