"""The API: access, answers, and that they agree with the commands."""

from __future__ import annotations

import json
import subprocess
import sys

import httpx
import numpy as np
import pytest
from pydantic import TypeAdapter

from jostle.analysis import JobDigest
from jostle.server.jobs.mipmaps import Mipmap
from jostle.server.schemas.jobs import Verdict


@pytest.fixture(scope="module")
def client(served):
    with httpx.Client(
        base_url=served.url, headers={"Authorization": f"Bearer {served.access.token}"}, timeout=60
    ) as made:
        yield made


def test_nobody_gets_in_without_the_token(served):
    with httpx.Client(base_url=served.url, timeout=60) as stranger:
        assert stranger.get("/api/v1/jobs").status_code == 401
        assert stranger.get("/api/v1/jobs?token=wrong", follow_redirects=True).status_code == 401
        assert stranger.get("/api/v1/openapi.json").status_code == 401


def test_the_token_becomes_a_session_and_leaves_the_address(served):
    with httpx.Client(base_url=served.url, timeout=60) as guest:
        answer = guest.get(f"{served.url}//evil.example/x?token={served.access.token}&a=1")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/evil.example/x?a=1"
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=strict" in answer.headers["set-cookie"]
        assert guest.get("/api/v1/jobs").status_code == 200


def test_another_name_is_a_rebinding(served):
    answer = httpx.get(
        f"{served.url}/api/v1/jobs",
        headers={"Host": "evil.example", "Authorization": f"Bearer {served.access.token}"},
        timeout=60,
    )
    assert answer.status_code == 421


@pytest.mark.parametrize("path", ["/", "/jobs/x", "/api/v1/jobs", "/assets/none.js"])
def test_every_answer_has_the_policy(client, path):
    policy = client.get(path).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2fapp.py",
        "/assets/%2e%2e/%2e%2e/app.py",
        "/assets/....//app.py",
        "/..%2f..%2fetc/passwd",
    ],
)
def test_no_file_but_ours_is_handed_out(client, path):
    answer = client.get(path)
    assert "create_app" not in answer.text
    assert "root:" not in answer.text


def test_the_verdict_is_that_of_the_commands(client, served):
    rows = client.get("/api/v1/jobs").json()
    assert rows["total"] == 8
    job = rows["jobs"][0]["job"]
    asked = f"/api/v1/jobs/{job}/verdict?wait_s=10"
    while (answer := client.get(asked)).status_code == 202:
        pass
    reported = answer.json()
    Verdict.model_validate(reported)  # the types of the page are made from it
    command = [sys.executable, "-m", "jostle.cli", "estimate", job, "--json"]
    said = json.loads(
        subprocess.run(
            [*command, "--repository", str(served.repository)], capture_output=True, check=True
        ).stdout
    )
    assert reported["interference"] == said["interference"]
    digest = client.get(f"/api/v1/jobs/{rows['jobs'][-1]['job']}").json()
    assert TypeAdapter(JobDigest).validate_python(digest).metrics
    assert {name: said[name] for name in reported["estimate"]} == reported["estimate"]


@pytest.mark.parametrize("job", ["nobody", "..", "%00", "a%2f..%2fb", "x' OR 1=1 --"])
def test_a_job_that_is_not_there(client, job):
    answer = client.get(f"/api/v1/jobs/{job}/series")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize(
    "query", ["points=1e9", "points=-1", "from_ns=-5", "to_ns=99999999999999999999"]
)
def test_hostile_parameters(client, query):
    job = client.get("/api/v1/jobs").json()["jobs"][0]["job"]
    assert client.get(f"/api/v1/jobs/{job}/series?{query}").status_code == 422


def test_a_metric_that_is_not_of_gpus(client):
    job = client.get("/api/v1/jobs").json()["jobs"][0]["job"]
    assert client.get(f"/api/v1/jobs/{job}/gpus").json() == {"gpus": []}
    answer = client.get(f"/api/v1/jobs/{job}/gpus?metric=bytes")
    assert answer.status_code == 400
    assert "gpu_h2d_bytes" in answer.json()["fix"]


def test_a_metric_that_is_not_there_says_what_is_near(client):
    job = client.get("/api/v1/jobs").json()["jobs"][0]["job"]
    answer = client.get(f"/api/v1/jobs/{job}/series?metric=byte")
    assert answer.status_code == 400
    assert "bytes" in answer.json()["fix"]


def test_mipmaps_lose_no_peak_and_no_sum():
    values = np.random.default_rng(1).lognormal(size=10_001)
    mipmap = Mipmap.of(0, 4, values)
    start, level = mipmap.cut(0, 10_001 * 4, 1000)
    assert start == 0
    assert len(level.mean) <= 1000
    assert level.high.max() == values.max()
    assert level.low.min() == values.min()
    whole = len(values) // (level.step_ns // 4)
    expected = values[: whole * (level.step_ns // 4)].mean()
    assert level.mean[:whole].mean() == pytest.approx(expected)
