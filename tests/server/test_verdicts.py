"""Verdicts: made in the background, stored on disk, and made again when the data change."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from server_fixtures import Hall

from jostle.report.verdict.verdict import STEPS, USUAL, evaluate_job, verdict_json
from jostle.report.verdict.verdict_worker import VerdictAnswer, VerdictProgress, VerdictRequest
from jostle.server.access import Viewer
from jostle.server.job_service import EvaluationError, JobService
from jostle.server.jobs.index import JobIndex
from jostle.server.verdicts import verdict_queue
from jostle.server.verdicts.verdict_queue import VerdictQueue, WorkerProcess, _Task
from jostle.server.verdicts.verdict_store import (
    StoredVerdict,
    VerdictStore,
    cache_folder,
    code_fingerprint,
    sight,
)

CHIEF = Viewer("chief", 0, "administrator")
BRIEF = {
    "light": "red",
    "percent": 20.0,
    "lost_s": 2.0,
    "cause": "cpu",
    "what": "CPU",
    "resource": "node1",
}


def a_verdict(job: str = "a", mark: str = "1", **other: object) -> StoredVerdict:
    return StoredVerdict(job, "all", mark, time.time(), 0.1, BRIEF, **other)  # type: ignore[arg-type]


def test_what_was_made_is_there_after_a_restart(tmp_path: Path) -> None:
    VerdictStore(tmp_path).put(a_verdict(), b'{"x": 1}')
    again = VerdictStore(tmp_path)
    found = again.get("a", "all")
    assert found is not None
    assert found.brief == BRIEF
    assert again.body("a", "all") == {"x": 1}
    assert (tmp_path / "verdicts.sqlite").stat().st_mode & 0o077 == 0


def test_what_another_version_made_is_forgotten(tmp_path: Path) -> None:
    VerdictStore(tmp_path).put(a_verdict(), b"{}")
    with sqlite3.connect(tmp_path / "verdicts.sqlite") as database:
        database.execute("UPDATE verdicts SET version = 'old'")
    assert VerdictStore(tmp_path).get("a", "all") is None
    assert code_fingerprint() == code_fingerprint()


@pytest.mark.parametrize("edited", ["reader", "repository", "analysis", "report"])
def test_an_edit_in_any_room_that_verdicts_depend_on_changes_their_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    (tmp_path / "module.py").touch()
    for room in ("reader", "repository", "analysis", "report"):
        folder = tmp_path / room
        folder.mkdir()
        shutil.copy2(tmp_path / "module.py", folder)
        monkeypatch.setattr(importlib.import_module(f"jostle.{room}"), "__path__", [str(folder)])
    before = code_fingerprint()
    later = time.time() + 60
    os.utime(tmp_path / edited / "module.py", (later, later))
    assert code_fingerprint() != before


@pytest.mark.parametrize("trouble", ["a file", "not writable", "damaged"])
def test_without_a_folder_memory_must_do(tmp_path: Path, trouble: str) -> None:
    folder = tmp_path / "cache"
    if trouble == "a file":
        folder.write_text("")
    else:
        folder.mkdir()
        if trouble == "damaged":
            (folder / "verdicts.sqlite").write_bytes(b"no database" * 100)
        elif os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        else:
            folder.chmod(0o500)
    kept = VerdictStore(folder)
    kept.put(a_verdict(), b"{}")
    assert kept.body("a", "all") == {}


def test_the_cache_is_of_one_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    one, two = cache_folder(Path("/a")), cache_folder(Path("/b"))
    assert one != two
    assert one.is_relative_to(tmp_path / "jostle/serve")
    assert sight(frozenset({12, 3})) == "3,12"
    assert sight(None) == "all"


follow = VerdictQueue.follow  # the real one: in these tests a list has nothing assessed


class Hand(WorkerProcess):
    """A worker that answers what the test gives it."""

    def __init__(self) -> None:
        self.asked: list[VerdictRequest] = []
        self.answer = VerdictAnswer(b"{}", BRIEF)
        self.look: Callable[[], object] = lambda: None
        self.seen: list[object] = []

    def ask(
        self, question: VerdictRequest, say: Callable[[VerdictProgress], None]
    ) -> VerdictAnswer:
        self.asked.append(question)
        self.seen.extend(say(VerdictProgress(step, 2, "reading")) or self.look() for step in (0, 1))
        return self.answer

    def end(self) -> None:
        pass


@pytest.fixture
def queue(injected: Path, tmp_path: Path) -> VerdictQueue:
    from jostle.repository import Repository

    index = JobIndex(Repository(injected))
    index.refresh()
    made = VerdictQueue(index, VerdictStore(tmp_path))
    made._worker = Hand()
    yield made
    made.end()


def asked(queue: VerdictQueue) -> list[str]:
    return [one.job for one in queue._worker.asked]  # type: ignore[attr-defined]


def test_the_newest_comes_first_and_what_is_asked_ahead_of_all(queue: VerdictQueue) -> None:
    rows = list(queue._index.rows)
    queue._asked.append(_Task(rows[2], None))
    follow(queue, None)
    end = time.monotonic() + 60
    while len(asked(queue)) < len(rows) and time.monotonic() < end:
        time.sleep(0.01)
    assert asked(queue)[0] == rows[2]
    assert asked(queue)[1:] == [job for job in reversed(rows) if job != rows[2]]


def test_a_list_has_assessed_what_its_viewer_may_see(open_hall: Hall, followed: list) -> None:
    for name, users in (("carl", {60002}), ("anne", {60000, 60001}), ("sue", None)):
        followed.clear()
        assert open_hall.guest(name).get("/api/v1/jobs").status_code == 200
        assert followed == [users]


def test_a_verdict_is_made_once_for_each_who_may_know_more(queue: VerdictQueue) -> None:
    job = next(iter(queue._index.rows))
    for users in (None, frozenset({60000}), None, frozenset({60000})):
        assert queue.ask(job, users, 10) is not None
    assert [one.users for one in queue._worker.asked] == [None, frozenset({60000})]  # type: ignore[attr-defined]


def test_new_data_make_a_new_verdict(queue: VerdictQueue) -> None:
    job = next(iter(queue._index.rows))
    assert queue.ask(job, None, 10) is not None
    queue._index.marks[job] = "other"
    assert queue.ask(job, None, 10) is not None
    assert asked(queue) == [job, job]


def test_a_run_that_goes_on_is_assessed_now_and_then(queue: VerdictQueue) -> None:
    job = next(iter(queue._index.rows))
    queue._index.rows[job] = queue._index.rows[job] | {"running": True}
    assert queue.ask(job, None, 10) is not None
    queue._index.marks[job] = "a slice later"
    assert queue.ask(job, None, 10) is not None
    assert asked(queue) == [job]


def test_what_cannot_be_assessed_says_so_and_is_not_tried_again_and_again(
    queue: VerdictQueue,
) -> None:
    queue._worker.answer = VerdictAnswer(error="No way.", hint="Buy another.")  # type: ignore[attr-defined]
    job = next(iter(queue._index.rows))
    for _ in range(3):
        found = queue.ask(job, None, 10)
        assert found is not None
        assert (found.error, found.hint, found.brief) == ("No way.", "Buy another.", None)
    assert asked(queue) == [job]


def test_progress_is_reported_of_the_run_that_is_assessed(queue: VerdictQueue) -> None:
    job, other = list(queue._index.rows)[:2]
    hand = queue._worker
    hand.look = lambda: (queue.progress(job), queue.progress(other))  # type: ignore[attr-defined]
    queue.ask(job, None, 10)
    assert hand.seen == [  # type: ignore[attr-defined]
        (VerdictProgress(0, 2, "reading"), None),
        (VerdictProgress(1, 2, "reading"), None),
    ]


@pytest.mark.in_turn
def test_the_process_says_how_far_it_is(injected: Path) -> None:
    job = next(iter(JobService(injected, None).rows()))
    worker, said = WorkerProcess(injected), []
    found = worker.ask(VerdictRequest(job), said.append)
    worker.end()
    assert found.brief
    steps = [one.step for one in said]
    assert steps == sorted(set(steps)) and steps[-1] == said[0].steps - 1
    assert {one.words for one in said} <= set(STEPS)


@pytest.mark.in_turn
def test_a_crash_ends_one_question_only(injected: Path) -> None:
    worker = WorkerProcess(injected)
    good, worker._command = worker._command, ["sh", "-c", "exit 7"]
    found = worker.ask(VerdictRequest("any"))
    assert "exit status 7" in found.error
    worker._command = good
    assert worker.ask(VerdictRequest("no such job")).error
    process = worker._process
    assert process is not None
    process.kill()
    process.wait()
    assert worker.ask(VerdictRequest("no such job")).error  # begun anew
    worker.end()


def test_a_process_that_cannot_be_started_ends_one_question_only(
    queue: VerdictQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    job, other = list(queue._index.rows)[:2]
    hand, queue._worker = queue._worker, WorkerProcess("repository")
    monkeypatch.setattr(verdict_queue, "_POLL_S", 0.01)
    with monkeypatch.context() as patch:
        patch.setattr(verdict_queue.subprocess, "Popen", failing)
        found = queue.ask(job, None, 10)
        assert found is not None and os.strerror(errno.EAGAIN) in found.error
        with ThreadPoolExecutor(1) as waiter:
            estimate = waiter.submit(queue.estimate, job, None)
            assert "cannot be started" in estimate.result(10).error
    queue._worker = hand
    found = queue.ask(other, None, 10)
    assert found is not None and not found.error, "the thread goes on"


def test_the_verdict_of_the_process_is_that_of_the_command(injected: Path, tmp_path: Path) -> None:
    job_service = JobService(injected, tmp_path)
    job = next(iter(job_service.rows()))
    uid = job_service.rows()[job]["uid"]
    for viewer in (CHIEF, Viewer("owner", uid, "user")):
        reported = None
        while reported is None:
            reported = job_service.verdict(job, viewer, 10)
        users = None if viewer.sees_all else frozenset({uid})
        said = verdict_json(evaluate_job(job_service.repository, job, USUAL, viewer=users))
        assert reported["head"] == said["head"]
        assert reported["estimate"]["percent"] == said["percent"]
        assert reported["job"]["verdict"]["percent"] == said["head"]["percent"]["value"]
        if said["interference"] is not None:
            assert reported["interference"]["suspects"] == said["interference"]["suspects"]
    others = [name for name, row in job_service.rows().items() if row["uid"] != uid]
    assert not any(name in str(reported) for name in others)
    job_service.close()


def test_a_damaged_file_costs_what_it_held_and_verdicts_of_its_time(
    injected: Path, tmp_path: Path
) -> None:
    path = tmp_path / "repository"
    shutil.copytree(injected, path)
    for file in path.glob("rollup/**/*.parquet"):
        file.write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    job_service = JobService(path, tmp_path / "cache")
    jobs = job_service.rows()
    assert jobs
    job = next(iter(jobs))
    span = (0, 2**63 - 1)
    assert job_service.series(job, "cpu", CHIEF, span=span, points=100)["lines"]
    lines = job_service.series(job, "bytes", CHIEF, span=span, points=100)["lines"]
    assert not any(any(line["mean"]) for line in lines)
    job_service.queue.ask(job, None, 60)
    with pytest.raises(EvaluationError, match="rollup"):
        job_service.verdict(job, CHIEF, 10)
    job_service.close()
