"""Advice in the API: that of the command for a job, and by role for the site."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from server_fixtures import UIDS
from test_matrix_api import patiently

from jostle.analysis.advise import Recommendations
from jostle.report.verdict.advice import advice_on
from jostle.repository import Repository
from jostle.server.schemas.reports import SiteAdviceReport


def verdict_of(guest: Any, job: str) -> None:
    for _ in range(100):
        if guest.get(f"/api/v1/jobs/{job}/verdict", params={"wait_s": 10}).status_code != 202:
            return
    raise AssertionError(job)


def test_advice_on_a_job_is_that_of_the_command(open_hall, injected) -> None:
    guest = open_hall.guest("adam")
    job = guest.get("/api/v1/jobs").json()["jobs"][0]["job"]
    given = patiently(guest, f"/api/v1/jobs/{job}/advice")
    TypeAdapter(Recommendations).validate_python(given)
    said = advice_on(Repository(injected), job, lost_of=lambda _: None).to_json()
    assert given["nothing"] == said["nothing"]
    assert [each["rule"] for each in given["found"]] == [each["rule"] for each in said["found"]]
    assert given["run_s"] == said["run_s"]


def test_an_operator_gets_advice_and_a_user_sums_of_his_own(open_hall, injected) -> None:
    rows = open_hall.guest("adam").get("/api/v1/jobs").json()["jobs"]
    for name in ("adam", "carl"):
        guest = open_hall.guest(name)
        for row in rows:
            if name == "adam" or row["uid"] == UIDS[name]:
                verdict_of(guest, row["job"])
    reported = patiently(open_hall.guest("adam"), "/api/v1/advice?days=365")
    SiteAdviceReport.model_validate(reported)
    assert reported["sums"] is None
    assert reported["waiting"] == 0
    assert reported["advice"]["jobs"] == len(rows)
    assert reported["advice"]["evaluated"] > 0
    own = patiently(open_hall.guest("carl"), "/api/v1/advice?days=365")
    SiteAdviceReport.model_validate(own)
    assert own["advice"] is None
    assert own["sums"]["jobs"] == sum(row["uid"] == UIDS["carl"] for row in rows)


def test_days_must_be_a_period(open_hall) -> None:
    assert open_hall.guest("adam").get("/api/v1/advice?days=0").status_code in (400, 422)
