"""Metrics for monitoring: their text, access to them, their token, and the dashboard."""

from __future__ import annotations

import re
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from server_fixtures import PROXY, ROLES, UIDS, URL, Hall

import jostle.server.routes.openmetrics as route
from dashboards import check
from jostle.server import Access, create_app
from jostle.server.access.access import METRICS
from jostle.server.access.audit import Audit
from jostle.server.access.files import AccessError
from jostle.server.access.proxy import ProxyHeader
from jostle.server.access.settings import read_settings
from jostle.server.jobs.metrics import FAMILIES, MOST_JOBS, SeenJob, job_metrics
from openmetrics import SUFFIXES, check_by_others, families

ROOT = Path(__file__).parents[2]
TOKEN = "t" * 43


def seen(number: int, *, running: bool = False, **verdict: Any) -> SeenJob:
    """A job that lost `number` seconds of 100."""
    cause = {"what": "file system", "place": "/scratch", "lost_s": float(number)}
    brief = {
        "light": "red",
        "percent": float(number),
        "lost_s": float(number),
        "run_s": 100.0,
        "core_hours": 1.0,
        "causes": [cause],
    } | verdict
    row = {
        "job": f"job-{number}",
        "user": "anne",
        "program": 'so\\l"ve\n',
        "running": running,
        "start_ns": 0,
        "verdict": brief,
    }
    suspect = {"job": "writer", "kind": "job", "resource": "/scratch", "lost_s": 0.5 * number}
    return SeenJob(row, [suspect, suspect])


def exported(jobs: list[SeenJob], newest_ns: int = 0) -> dict[str, list[Any]]:
    text = job_metrics(jobs, newest_ns).decode()
    check_by_others(text)
    return families(text)


def test_the_text_follows_the_rules() -> None:
    undecided = seen(20, light=None)
    nothing = SeenJob({**seen(3).row, "job": "new", "user": None, "verdict": None}, [])
    found = exported([seen(30), undecided, nothing], newest_ns=5_500_000_000)
    assert found.keys() == FAMILIES.keys()
    lights = {labels["light"]: value for _, labels, value in found["jostle_jobs"]}
    assert lights == {"green": 0, "yellow": 0, "red": 1, "undecided": 1, "none": 1}
    assert found["jostle_job_light"] == [("", {"jostle_job": "job-30"}, 2)]
    assert [value for _, _, value in found["jostle_job_lost_ratio"]] == [0.3, 0.2]
    about = [labels for _, labels, _ in found["jostle_job"]]
    assert about[0] == {"jostle_job": "job-30", "user": "anne", "program": 'so\\l"ve\n'}
    assert about[-1]["user"] == "several"
    assert found["jostle_user_lost_seconds"] == [("", {"user": "anne"}, 50)]
    assert found["jostle_resource_lost_seconds"] == [("", {"resource": "file system /scratch"}, 50)]
    labels = {"jostle_job": "job-30", "suspect": "writer", "kind": "job", "resource": "/scratch"}
    assert found["jostle_job_suspect_lost_seconds"][0] == ("", labels, 30)
    assert found["jostle_newest_slice_timestamp_seconds"] == [("", {}, 5.5)]


def test_no_number_of_jobs_makes_too_many_series() -> None:
    jobs = [seen(number, running=number == 1) for number in range(1, MOST_JOBS + 101)]
    found = exported(jobs)
    assert found["jostle_jobs_without_samples"] == [("", {}, 100)]
    for name, samples in found.items():
        assert len(samples) <= MOST_JOBS, name
    named = {labels["jostle_job"] for _, labels, _ in found["jostle_job"]}
    assert "job-1" in named  # it runs
    assert {"job-2", "job-100"}.isdisjoint(named)  # they lost least
    # Sums have all of them.
    assert found["jostle_user_lost_seconds"][0][2] == sum(range(1, MOST_JOBS + 101))


def test_the_reference_says_how_many_series_there_may_be() -> None:
    jobs = []
    for number in range(1, 1000):
        one = seen(number)
        one.row["user"] = f"user-{number}"
        one.row["verdict"]["causes"][0]["place"] = f"/mnt/{number}"
        suspects = [{**one.suspects[0], "job": f"writer-{other}"} for other in range(3)]
        jobs.append(SeenJob(one.row, suspects))
    series = sum(map(len, exported(jobs, newest_ns=1).values()))
    assert f"At most {series} series" in (ROOT / "docs/reference/serve.md").read_text()


def test_without_jobs_there_are_no_samples_of_jobs() -> None:
    found = exported([])
    assert [value for _, _, value in found["jostle_jobs"]] == [0] * 5
    assert found["jostle_newest_slice_timestamp_seconds"] == []
    assert found["jostle_job"] == []


@pytest.fixture
def whenever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The synthetic jobs are recent."""
    monkeypatch.setattr(route, "RECENT_NS", 2**62)


@pytest.fixture(scope="module")
def monitored(injected: Path, users: None, tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """A server behind a proxy, with a token for monitoring."""
    audit = tmp_path_factory.mktemp("monitored") / "audit.jsonl"
    access = Access(
        ProxyHeader("X-Remote-User", ROLES),
        url=URL,
        audit=Audit(audit),
        proxies=[ip_network(f"{PROXY}/32")],
        metrics_token=TOKEN,
    )
    return Hall(create_app(injected, access), access, audit)


def jobs_in(text: str) -> set[str]:
    return {labels["jostle_job"] for _, labels, _ in families(text)["jostle_job"]}


def test_a_viewer_gets_the_numbers_of_his_own_jobs(monitored: Hall, whenever: None) -> None:
    rows = monitored.guest("adam").get("/api/v1/jobs?limit=500").json()["jobs"]
    of = {name: {row["job"] for row in rows if row["uid"] == uid} for name, uid in UIDS.items()}
    everybody = monitored.guest("sue").get(METRICS)
    assert everybody.headers["content-type"].startswith("application/openmetrics-text; version=1")
    assert jobs_in(everybody.text) == set().union(*of.values())
    own = monitored.guest("carl").get(METRICS).text
    assert jobs_in(own) == of["carl"] != set()
    hidden = set().union(*of.values()) - of["carl"]
    assert not [job for job in hidden if job in own]
    assert jobs_in(monitored.guest("anne").get(METRICS).text) == of["anne"] | of["bert"]


def test_the_numbers_are_those_of_the_pages(monitored: Hall, whenever: None) -> None:
    client = monitored.guest("adam")
    job = client.get("/api/v1/jobs?limit=500").json()["jobs"][0]["job"]
    verdict = wait_for_verdict(client, job)
    found = families(client.get(METRICS).text)
    (lost,) = (
        value
        for _, labels, value in found["jostle_job_lost_seconds"]
        if labels["jostle_job"] == job
    )
    assert lost == pytest.approx(verdict["head"]["lost_s"]["value"])
    suspects = {
        labels["suspect"]: value
        for _, labels, value in found["jostle_job_suspect_lost_seconds"]
        if labels["jostle_job"] == job
    }
    attributed = {
        each["job"]: each["seconds"]["value"] for each in verdict["attribution"]["suspects"][:3]
    }
    assert suspects == pytest.approx(attributed)
    sums = client.get("/api/v1/losses").json()["users"]
    assert {labels["user"]: value for _, labels, value in found["jostle_user_lost_seconds"]} == {
        group["name"]: pytest.approx(group["lost_s"]) for group in sums
    }


def wait_for_verdict(client: Any, job: str) -> dict[str, Any]:
    for _ in range(300):
        answer = client.get(f"/api/v1/jobs/{job}/verdict")
        if answer.status_code == 200:
            body: dict[str, Any] = answer.json()
            return body
    raise AssertionError(answer.text)


def test_old_jobs_are_history(monitored: Hall) -> None:
    # Nobody has asked for bert's metrics, so that no answer about all of his jobs is cached.
    found = families(monitored.guest("bert").get(METRICS).text)
    assert found["jostle_job"] == []
    assert found["jostle_newest_slice_timestamp_seconds"][0][2] > 0


def test_the_token_for_monitoring_opens_nothing_else(monitored: Hall, whenever: None) -> None:
    rows = monitored.guest("adam").get("/api/v1/jobs?limit=500").json()["jobs"]
    asks = monitored.guest(None, Authorization=f"Bearer {TOKEN}")
    answer = asks.get(METRICS)
    assert answer.status_code == 200
    assert jobs_in(answer.text) == {row["job"] for row in rows}
    for path in ("/api/v1/jobs", "/api/v1/losses", "/api/v1/audit", METRICS + "/", "/api/v1/me"):
        assert asks.get(path).status_code in (401, 404), path
    assert asks.post(METRICS).status_code in (401, 403, 405)
    for wrong in ("", "Bearer ", f"Bearer {TOKEN[1:]}", f"Basic {TOKEN}"):
        assert monitored.guest(None, Authorization=wrong).get(METRICS).status_code == 401, wrong
    # Not from elsewhere than the proxy either.
    elsewhere = monitored.guest(None, "10.9.9.9", Authorization=f"Bearer {TOKEN}")
    assert elsewhere.get(METRICS).status_code == 403


def test_without_a_token_nobody_monitors(open_hall: Hall) -> None:
    for sent in ("Bearer ", "Bearer None", ""):
        assert open_hall.guest(None, Authorization=sent).get(METRICS).status_code == 401


def test_the_table_of_the_operators_file(tmp_path: Path) -> None:
    secret, file = tmp_path / "metrics.token", tmp_path / "serve.toml"
    secret.write_text(TOKEN + "\n")
    secret.chmod(0o600)
    file.write_text(f'[metrics]\ntoken_file = "{secret}"\n')
    assert read_settings(file).metrics_token() == TOKEN
    secret.write_text("short\n")
    with pytest.raises(AccessError, match="shorter than"):
        read_settings(file).metrics_token()
    secret.chmod(0o644)
    with pytest.raises(AccessError):
        read_settings(file).metrics_token()
    file.write_text("")
    assert read_settings(file).metrics_token() is None


def test_the_dashboard_uses_metrics_that_there_are() -> None:
    suffixes = set().union(*SUFFIXES.values())
    check(ROOT / "integrations/grafana/jostle-serve.json", FAMILIES, suffixes)


def test_the_reference_has_all_metrics() -> None:
    text = (ROOT / "docs/reference/serve.md").read_text()
    rows = re.findall(r"^\| `(jostle_[a-z_]+)`", text, re.MULTILINE)
    assert rows == [
        name + ("_info" if one.kind == "info" else "") for name, one in FAMILIES.items()
    ]
    assert f"at most {MOST_JOBS} jobs" in text
