"""A job as a trace, and the runs of its program: what the commands say, without others' secrets."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from server_fixtures import UIDS

from jostle.cli.main import cli


def assessed(client, job: str) -> None:
    while client.get(f"/api/v1/jobs/{job}/verdict?wait_s=5").status_code == 202:
        time.sleep(0.05)


@pytest.fixture(scope="module")
def rows(open_hall):
    return open_hall.guest("adam").get("/api/v1/jobs").json()["jobs"]


def test_the_trace_of_a_job_is_that_of_the_command(open_hall, injected, rows, tmp_path: Path):
    adam, job = open_hall.guest("adam"), rows[0]["job"]
    assessed(adam, job)
    answer = adam.get(f"/api/v1/jobs/{job}/perfetto")
    assert f"{job}.perfetto.json" in answer.headers["Content-Disposition"]
    file = tmp_path / "trace.json"
    words = ["export", job, "--format", "perfetto", "-o", str(file), "--repository", str(injected)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    assert answer.json() == json.loads(file.read_text())
    assert any(event["name"].startswith("others on") for event in answer.json()["traceEvents"])


def test_a_trace_names_no_job_that_the_viewer_may_not_see(open_hall, rows):
    dora = open_hall.guest("dora")
    own = {row["job"] for row in rows if row["uid"] == UIDS["dora"]}
    others = {row["job"] for row in rows} - own
    for job in own:
        assessed(dora, job)
        text = dora.get(f"/api/v1/jobs/{job}/perfetto").text
        assert "others on" not in text
        assert not [name for name in others if f'"{name}"' in text]


def test_a_trend_has_the_runs_and_times_of_the_digest(open_hall, rows):
    adam = open_hall.guest("adam")
    for row in rows:
        trend = adam.get(f"/api/v1/jobs/{row['job']}/trend").json()
        figures = adam.get(f"/api/v1/jobs/{row['job']}/figures").json()
        times = {run["job"]: run["run_s"] for run in trend["runs"]}
        own, run_time = times.pop(row["job"]), figures["figures"][0]
        assert own == run_time["total"]
        assert len(times) == figures["runs"]
        if times:
            assert (min(times.values()), max(times.values())) == pytest.approx(
                (run_time["others"]["min"], run_time["others"]["max"])
            )
        starts = [run["start_ns"] for run in trend["runs"]]
        assert starts == sorted(starts)


def test_a_trend_has_no_runs_that_the_viewer_may_not_see(open_hall, rows):
    own = {row["job"] for row in rows if row["uid"] == UIDS["dora"]}
    for job in own:
        trend = open_hall.guest("dora").get(f"/api/v1/jobs/{job}/trend").json()
        assert {run["job"] for run in trend["runs"]} <= own
