"""An imported run among similar runs, as the API returns it; profiled jobs are left out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from server_fixtures import Hall, hall

sys.path.append(str(Path(__file__).parents[1] / "imports"))

from logs import taken
from site_of_logs import site

from jostle.repository import Repository
from jostle.server.schemas.reports import LikeRunsReport


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    place = tmp_path_factory.mktemp("imported")
    store = Repository(place / "repository", create=True)
    taken(store, place / "logs", *site(1, 2.0, runs=12))
    return hall(store.path, place / "audit")


def test_a_run_among_its_like(imported: Hall) -> None:
    guest = imported.guest("adam")
    jobs = guest.get("/api/v1/jobs?limit=500").json()["jobs"]
    victims = [row["job"] for row in jobs if row["program"] == "victim"]
    assert len(victims) == 12
    answers = [guest.get(f"/api/v1/jobs/{job}/like-runs").json() for job in victims]
    for answer in answers:
        TypeAdapter(LikeRunsReport).validate_python(answer)
        assert answer["program"] == "victim" and answer["rests_on"]
    named = [
        {each["program"] for each in a["met"] if each["strength"] == "evidence"} for a in answers
    ]
    assert named.count({"bully"}) == 6 and named.count(set()) == 6
    refused = guest.get(f"/api/v1/jobs/{victims[0]}/verdict?wait_s=10")
    assert refused.status_code >= 400 and "does not record" in refused.text


def test_the_matrix_says_what_it_rests_on(imported: Hall) -> None:
    guest = imported.guest("adam")
    for _ in range(100):
        answer = guest.get("/api/v1/matrix")
        if answer.status_code == 200:
            break
    assert any("compared as a whole" in limit for limit in answer.json()["limits"])


def test_of_a_profiled_job_there_is_nothing(injected: Path, tmp_path: Path) -> None:
    guest = hall(injected, tmp_path / "audit").guest("adam")
    job = guest.get("/api/v1/jobs?limit=1").json()["jobs"][0]["job"]
    answer = guest.get(f"/api/v1/jobs/{job}/like-runs").json()
    assert answer["rests_on"] == [] and answer["met"] == []
