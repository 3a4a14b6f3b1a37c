"""Studies as the API returns them: the numbers of the command, for users who may see the jobs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from server_fixtures import hall, plant_jobs

sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from web_studies import plant_study

from jostle.repository import Repository
from jostle_lab.server.schemas import StudyPage


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    found = plant_jobs(tmp_path_factory.mktemp("studies") / "repository")
    plant_study(found, "first")
    plant_study(found, "second", chunks=(1 << 20,))
    broken = Repository(found).study("broken")
    broken.begin("", {"runs": []})
    (broken.folder / "plan.json").write_text("{")
    return found


@pytest.fixture(scope="module")
def guests(path, users, tmp_path_factory):
    return hall(path, tmp_path_factory.mktemp("looks") / "audit.jsonl")


def patiently(guest, path: str) -> dict:
    for _ in range(900):
        answer = guest.get(path)
        if answer.status_code != 202:
            assert answer.status_code == 200, answer.text
            return answer.json()
        time.sleep(0.2)
    raise AssertionError("it is never made")


def test_a_study_is_that_of_the_command(guests, path):
    reported = patiently(guests.guest("adam"), "/api/v1/studies/first?with=second")
    StudyPage.model_validate(reported)  # the types of the page are made from it
    for name, found in (("first", reported["study"]), ("second", reported["other"])):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "jostle.cli",
                "study",
                "show",
                name,
                "--json",
                "--repository",
                str(path),
            ],
            capture_output=True,
            check=True,
        )
        said = json.loads(done.stdout)
        del said["figures"]
        assert {key: found[key] for key in said} == said
    assert reported["study"]["description"] == "a writer alongside a reader"
    assert any(cell["degradation"]["median"] is not None for cell in reported["study"]["cells"])


def test_an_open_study_is_a_look_at_each_of_its_runs(guests, path):
    patiently(guests.guest("sue"), "/api/v1/studies/first")
    looks = [json.loads(line) for line in guests.audit.read_text().splitlines()]
    runs = {
        one["job"]
        for record in Repository(path).study("first").read_runs()
        for one in record["programs"]
    }
    assert {look["job"] for look in looks if look["viewer"] == "sue"} == runs


def test_the_list_names_a_damaged_study_alongside_the_others(guests):
    rows = {
        row["study"]: row for row in guests.guest("adam").get("/api/v1/studies").json()["studies"]
    }
    assert rows["first"]["done"] == rows["first"]["planned"] == 8
    assert rows["first"]["programs"] == ["reader", "writer"]
    assert rows["broken"]["damaged"]
    assert guests.guest("adam").get("/api/v1/studies/broken").status_code in (202, 500)


def test_a_study_is_for_those_who_may_see_its_jobs(guests):
    # Its two jobs are of two users.
    for name in ("anne", "bert", "carl", "dora"):
        guest = guests.guest(name)
        seen = {row["job"] for row in guest.get("/api/v1/jobs").json()["jobs"]}
        allowed = set(_jobs(guests)) <= seen
        names = {row["study"] for row in guest.get("/api/v1/studies").json()["studies"]}
        assert names == ({"first", "second"} if allowed else set())
        if not allowed:
            assert guest.get("/api/v1/studies/first").status_code == 404
            assert guest.get("/api/v1/studies/nobody").status_code == 404


def _jobs(guests) -> set[str]:
    cells = patiently(guests.guest("adam"), "/api/v1/studies/second")["study"]["cells"]
    return {
        one[side]["job"]
        for cell in cells
        for one in cell["repetitions"]
        for side in ("probe", "signal")
    }


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("nobody", 404),
        ("first?with=nobody", 404),
        ("first?with=first", 400),
        ("..%2f..%2fetc", 404),
        ("first?with=" + "x" * 201, 422),
    ],
)
def test_a_study_that_is_not_there(guests, question, status):
    assert guests.guest("adam").get(f"/api/v1/studies/{question}").status_code == status
