"""Sums of verdicts: by user, program, resource and week."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_same_numbers import page_of, printed, verdict_of

from jostle.server.jobs.losses import REST, losses

DAY = 86_400 * 10**9
MONDAY = 1_764_547_200 * 10**9  # 2025-12-01


def _row(number: int, **more: Any) -> dict[str, Any]:
    cause = {"what": "file system", "place": "/scratch", "lost_s": 6.0}
    other = {"what": "CPU", "place": "node1", "lost_s": 2.0}
    verdict = {"run_s": 80.0, "lost_s": 8.0, "core_hours": 4.0, "causes": [cause, other]}
    return {
        "job": f"job-{number}",
        "user": "ada",
        "program": "solve",
        "start_ns": MONDAY,
        "verdict": verdict,
    } | more


def test_losses_add_up_in_every_table() -> None:
    rows = [
        _row(1),
        _row(2, user="ben", start_ns=MONDAY + 8 * DAY),
        _row(3, user=None),
        _row(4, verdict=None),
    ]
    content = losses(rows, 0, 2**62)
    assert (content["jobs"], content["waiting"]) == (4, 1)
    assert content["total"]["lost_s"] == 24
    for table in ("users", "programs", "resources", "weeks"):
        assert sum(group["lost_s"] for group in content[table]) == pytest.approx(24), table
        assert sum(group["core_hours"] for group in content[table]) == pytest.approx(12), table
    assert [(group["name"], group["lost_s"]) for group in content["resources"]] == [
        ("file system /scratch", 18),
        ("CPU node1", 6),
    ]
    assert [group["name"] for group in content["weeks"]] == ["2025-12-01", "2025-12-08"]
    assert {group["name"] for group in content["users"]} == {"ada", "ben", "several"}
    assert losses(rows, MONDAY + DAY, 2**62)["jobs"] == 1


def test_a_job_counts_once_for_a_resource() -> None:
    """Also where both another job and its own processes cost it time there."""
    row = _row(1)
    row["verdict"]["causes"][1] |= {"what": "file system", "place": "/scratch"}
    [group] = losses([row, _row(2, verdict=None)], 0, 2**62)["resources"]
    assert (group["jobs"], group["run_s"], group["lost_s"]) == (1, 80, 8)


def test_a_run_too_short_for_a_light_is_in_no_sum() -> None:
    short = _row(2, program="false")
    short["verdict"] |= {"run_s": 559e-6, "lost_s": 123e-6}
    content = losses([_row(1), short], 0, 2**62)
    assert (content["jobs"], content["waiting"], content["total"]["jobs"]) == (2, 0, 1)
    assert [group["name"] for group in content["programs"]] == ["solve"]


def test_of_many_groups_the_small_ones_are_one() -> None:
    rows = [_row(number, program=f"p{number}") for number in range(60)]
    programs = losses(rows, 0, 2**62)["programs"]
    assert len(programs) == 51
    assert (programs[-1]["name"], programs[-1]["jobs"]) == (REST, 10)


def test_the_sum_is_that_of_the_verdicts(injected: Path, tmp_path: Path) -> None:
    page = page_of(injected, tmp_path / "cache")
    jobs = [row["job"] for row in printed("jobs", "--repository", injected)["jobs"]][:2]
    lost = {job: verdict_of(page, job)["head"]["lost_s"]["value"] for job in jobs}
    answer = page.get("losses")
    assert answer.status_code == 200
    content = answer.json()
    assert content["jobs"] >= content["waiting"] + len(jobs)
    rows = {row["job"]: row for row in page.get("jobs").json()["jobs"]}
    assert {job: rows[job]["verdict"]["lost_s"] for job in jobs} == pytest.approx(lost)
    known = [row["verdict"]["lost_s"] for row in rows.values() if row["verdict"]]
    if len(known) == content["total"]["jobs"]:
        assert content["total"]["lost_s"] == pytest.approx(sum(known))
