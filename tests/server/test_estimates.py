"""Estimates on disk: there after a restart, and never used where anything does not match."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from jostle.analysis.estimation.model import Cause, Cluster, Continuous, CoreSpeed, Hit, RunEstimate
from jostle.analysis.interval import Interval
from jostle.report.verdict.verdict_worker import VerdictAnswer
from jostle.server.access import Viewer
from jostle.server.job_service import JobService
from jostle.server.verdicts import estimate_store as module
from jostle.server.verdicts.estimate_store import EstimateStore

SOME = Interval(1.5, 1.0, math.inf)
MADE = RunEstimate(
    "a/1",
    "jostle",
    0,
    2,
    5,
    9_000_000_005,
    9.0,
    SOME,
    SOME,
    0.9,
    None,
    [Cause("cpu", "node1", SOME, "measured", "steal")],
    Continuous(SOME, "It drifts."),
    0.25,
    [Cluster(1, "MPI_Barrier", 3, 0.1, 0.01, 0.2, 1, 0.3, 0.6, True)],
    [Hit(5, 6, 0.5, "network", "MPI", -1)],
    ["Take care."],
    pa.table({"start_ns": [5, 6, 7], "work": pa.array([None, 1.5, 2.0])}),
    3,
    CoreSpeed(1.1, 4, SOME),
)


@pytest.fixture(autouse=True)
def everything_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_SEGMENTS", 1)


def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    EstimateStore(tmp_path).put("a/1", "all", "m", MADE)
    again = EstimateStore(tmp_path)
    assert again.get("a/1", "all", "m") == MADE
    assert again.get("a/1", "all", "later") is again.get("b", "all", "m") is None
    assert again.get("a/1", "10", "m") is None  # another viewer's
    (file,) = (tmp_path / "estimates").iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_what_is_damaged_or_of_another_version_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = EstimateStore(tmp_path)
    kept.put("a/1", "all", "m", MADE)
    (file,) = (tmp_path / "estimates").iterdir()
    whole = file.read_bytes()
    for content in (b"", whole[:-9], whole[:60] + b"\0" + whole[61:], whole + b" ", b"x" * 99):
        file.write_bytes(content)
        assert kept.get("a/1", "all", "m") is None
    file.write_bytes(whole)
    assert kept.get("a/1", "all", "m") == MADE
    monkeypatch.setattr(module, "code_fingerprint", lambda: "other")
    assert EstimateStore(tmp_path).get("a/1", "all", "m") is None
    assert not file.exists()


def test_those_that_nobody_looks_at_make_room(tmp_path: Path) -> None:
    EstimateStore(tmp_path).put("a/1", "all", "m", MADE)
    (file,) = (tmp_path / "estimates").iterdir()
    kept = EstimateStore(tmp_path, most_bytes=int(2.5 * file.stat().st_size))
    kept.put("b/1", "all", "m", replace(MADE, job="b/1"))
    for at, path in enumerate((tmp_path / "estimates").iterdir()):
        os.utime(path, (at, at))
    assert kept.get("a/1", "all", "m") == MADE
    kept.put("c/1", "all", "m", replace(MADE, job="c/1"))
    assert [kept.get(job, "all", "m") is not None for job in ("a/1", "b/1", "c/1")] == [
        True,
        False,
        True,
    ]


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "estimates").write_text("no folder")
    kept = EstimateStore(tmp_path)
    kept.put("a/1", "all", "m", MADE)
    assert kept.get("a/1", "all", "m") is None


def test_after_a_restart_nobody_is_asked_for_what_is_on_disk(
    injected: Path, tmp_path: Path
) -> None:
    def opened(asked: list[str]) -> JobService:
        job_service = JobService(injected, tmp_path)
        job_service.queue.ask = lambda *_: None  # type: ignore[method-assign]
        made = VerdictAnswer(estimate=MADE)
        job_service.queue.estimate = lambda job, _: asked.append(job) or made  # type: ignore
        return job_service

    viewer = Viewer("chief", 0, "administrator")
    for asks in (1, 0):
        asked: list[str] = []
        job_service = opened(asked)
        job, row = next(iter(job_service.rows().items()))
        assert not row["running"]
        assert job_service.estimate(job, viewer) == MADE
        assert len(asked) == asks
        job_service.close()


@pytest.mark.parametrize("first", [0, 1])
def test_what_a_viewer_sees_does_not_depend_on_who_asked_first(
    injected: Path, tmp_path: Path, first: int
) -> None:
    """Neither in memory nor from the disk: an estimate counts the neighbours that he may know."""
    viewers = [Viewer("chief", 0, "administrator"), Viewer("anne", 4711, "user")]
    own = {viewer.users: replace(MADE, ranks=number) for number, viewer in enumerate(viewers)}
    assert len(own) == 2
    for _ in range(2):
        job_service = JobService(injected, tmp_path)
        job_service.queue.ask = lambda *_: None  # type: ignore[method-assign]
        job_service.queue.estimate = lambda _, users: VerdictAnswer(estimate=own[users])  # type: ignore
        job = next(iter(job_service.rows()))
        for viewer in (*viewers[first:], *viewers[:first], *viewers):
            assert job_service.estimate(job, viewer) == own[viewer.users]
        job_service.close()
