"""A name in a request is resolved once: a short name gives the same answers as the full one."""

from __future__ import annotations

import os
from typing import Any

import pytest
from server_fixtures import UIDS, Hall, hall
from test_roles import ROUTES, ask

from jostle.repository import Repository
from jostle.repository.store.owner_names import login_name
from synth import EPOCH, SECOND, Profile

SLICES = 20
#: Routes with a job's name in them, but for what is never the same twice.
NAMING = [
    route for route, entry in ROUTES.items() if "{job}" in route or "JOB" in entry.get("query", "")
]
ODD = ["no such thing", "", "solver@nobody", "12.0", "a@b@c", "../..", "%00", "%F0%9F%92%A9", "0"]


@pytest.fixture(scope="module")
def two_solvers(tmp_path_factory: pytest.TempPathFactory, users: None) -> Hall:
    """Two users whose jobs have one name."""
    if os.geteuid() != 0:
        pytest.skip("gives files to other users")
    path = tmp_path_factory.mktemp("names")
    (path / "spool").mkdir()
    for pid, (name, alongside) in enumerate([("carl", "mesher"), ("dora", "solver")], 1):
        for job in ("solver", alongside):
            made = Profile(
                job=job,
                pid=100 * pid + len(job),
                slice_ns=SECOND,
                start_ns=EPOCH,
                end_ns=EPOCH + SLICES * SECOND,
                end_reason=1,
            )
            made.pid += job == alongside
            made.add_mount(0, "/data")
            for index in range(SLICES):
                work = {"posix_write_bytes": {0: pid << 20}, "posix_write_ops": {0: 1}}
                made.add_slice(made.first_slice + index, work)
            file = made.write(path / "spool")
            os.chown(file, UIDS[name], UIDS[name])
    Repository(path / "repository", create=True).ingest([path / "spool"])
    return hall(path / "repository", path / "audit.jsonl")


def full(job: str) -> str:
    """The name that the repository has for a job of Carl's."""
    return f"{job}@{login_name(UIDS['carl'])}"


def names_of(hall: Hall) -> set[str]:
    return {row["job"] for row in hall.guest("carl").get("/api/v1/jobs").json()["jobs"]}


def test_jobs_of_one_name_are_two(two_solvers: Hall) -> None:
    assert names_of(two_solvers) == set(map(full, ("solver", "mesher")))


@pytest.mark.parametrize("route", NAMING)
def test_a_short_name_is_as_good_as_the_full_one(two_solvers: Hall, route: str) -> None:
    short = ask(two_solvers, "carl", route, "solver", "mesher")
    long = ask(two_solvers, "carl", route, full("solver"), full("mesher"))
    assert short[0] == long[0] < 500
    assert short[1] == long[1]


def parameters(hall: Hall) -> list[tuple[str, str, str]]:
    """Path, name and place of each parameter that is a text."""
    found = []
    for path, verbs in hall.app.openapi()["paths"].items():
        for each in verbs.get("get", {}).get("parameters", []):
            if _is_text(each["schema"]) and path != "/api/v1/live":
                found.append((path, each["name"], each["in"]))
    return found


def _is_text(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "array":
        schema = schema["items"]
    return schema.get("type") == "string" and "enum" not in schema


def test_no_name_is_an_internal_error(two_solvers: Hall) -> None:
    guest = two_solvers.guest("carl")
    asked = parameters(two_solvers)
    assert len(asked) > 20
    for path, name, place in asked:
        known = path.replace("{job}", "solver") if name != "job" else path
        for odd in [*ODD, "solver", "solver@dora"]:
            filled = known.replace("{" + name + "}", odd).replace("{name}", "net")
            filled = filled.replace("{host}", "node1").replace("{batch}", "12")
            query = f"?{name}={odd}" if place == "query" else ""
            status = guest.get(filled + query).status_code
            assert status < 500, (filled, query, status)
