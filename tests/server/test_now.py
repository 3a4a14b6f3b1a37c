"""Running jobs in the API: a user sees his own, and others under one name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from server_fixtures import hall

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))  # running
from running import running

from jostle.analysis.identification.model import OTHERS
from jostle.report.models.now import Now
from jostle.repository import Repository
from jostle.server.schemas.now import NowAnswer

#: Owner of both jobs (of their profiles' files), and somebody else.
OWNER, STRANGER = os.getuid(), 4321


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return running(tmp_path_factory.mktemp("now"))


def test_the_answer_is_as_described(repository: Path, tmp_path: Path) -> None:
    house = hall(repository, tmp_path / "audit")
    found = house.guest("adam").get("/api/v1/now").json()
    answer = NowAnswer.model_validate(found)
    assert (
        found["jobs"][0].keys()
        == NowAnswer.model_fields["jobs"].annotation.__args__[0].model_fields.keys()
    )
    assert answer.jobs[0].job == "reader-1" and answer.jobs[0].suspects[0].job == "bully-1"
    one = house.guest("adam").get("/api/v1/now", params={"job": "bully-1"}).json()["jobs"]
    assert [row["job"] for row in one] == ["bully-1"]
    assert house.guest("anne").get("/api/v1/now").json()["jobs"] == []
    assert house.guest("anne").get("/api/v1/now?job=bully-1").status_code == 404
    assert house.guest(None).get("/api/v1/now").status_code == 401


def test_suspects_of_other_users_have_one_name(repository: Path) -> None:
    store = Repository(repository)
    now = Now(store)
    now.refresh()
    assert {job.answer.job for job in now.report({OWNER}).jobs} == {"reader-1", "bully-1"}
    assert now.report({STRANGER}).jobs == ()
    state = now._stream.jobs["bully-1"]
    state.facts = state.facts.__class__(**{**vars(state.facts), "uid": STRANGER})
    (own,) = now.report({OWNER}).jobs
    assert own.answer.suspects[0].job == OTHERS and OTHERS in own.why
    assert "bully" not in str(own.to_json())
    store.close()


def test_after_a_restart_the_answer_is_the_same(repository: Path) -> None:
    store = Repository(repository)
    reports = []
    for _ in range(2):
        now = Now(store)
        now.refresh()
        reports.append(now.report().to_json())
    assert reports[0] == reports[1] and reports[0]["jobs"]
    store.close()
