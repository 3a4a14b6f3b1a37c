"""A server that ends during requests ends without errors."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import duckdb
import httpx
import pytest

from jostle.report.verdict.verdict_worker import VerdictAnswer
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.server.job_service import EvaluationError, JobService


def test_who_is_being_answered_stops_nobody_from_closing(injected):
    class Busy:
        """A database that somebody else is asking just now."""

        def close(self) -> None:
            raise duckdb.Error("connection is busy with another call")

    repository = Repository(injected)
    before = repository.query("SELECT count(*) AS n FROM processes")
    repository._engine._database = Busy()
    repository.close()
    assert repository.query("SELECT count(*) AS n FROM processes") == before


def test_who_assesses_ends_with_who_asked_even_in_the_midst_of_an_answer() -> None:
    busy = (
        "from jostle.report.verdict import verdict_worker; verdict_worker.end_with_asker(); "
        "import time; time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"a question that is not read yet")
    process.stdin.close()
    assert process.wait(60) == 0


def test_who_assesses_does_not_end_before_who_asked(injected) -> None:
    early = (
        "import os, signal; from jostle.report.verdict import verdict_worker as worker; "
        "worker.end_with_asker = lambda: os.kill(os.getpid(), signal.SIGTERM); worker.main()"
    )
    command = [sys.executable, "-c", early, str(injected)]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60).returncode == 0


def test_who_waits_for_segments_is_let_go(injected, tmp_path):
    job_service = JobService(injected, tmp_path)
    job = next(iter(job_service.rows()))
    begun, found = threading.Event(), []

    def slow(_question, _report):
        begun.set()
        time.sleep(0.2)
        return VerdictAnswer(error="Nobody hears this.")

    job_service.queue._worker.ask = slow

    def ask():
        try:
            job_service.estimate(job, Viewer("sue", None, "support"))
        except EvaluationError as error:
            found.append(str(error))

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    begun.wait(30)
    job_service.close()
    for asker in askers:
        asker.join(30)
    assert found
    assert not any(asker.is_alive() for asker in askers)


def test_a_verdict_that_another_version_took_away_is_made_again(injected, tmp_path):
    viewer = Viewer("chief", 0, "administrator")
    job_service = JobService(injected, tmp_path)
    job = next(iter(job_service.rows()))
    brief = {
        "light": "green",
        "percent": 0.0,
        "lost_s": 0.0,
        "cause": "",
        "resource": None,
        "run_s": 1.0,
        "core_hours": 0.0,
        "causes": [],
    }
    body = b'{"head": 1, "attribution": 4, "interference": 2, "mounts": 3}'
    job_service.queue._worker.ask = lambda _question, _report: VerdictAnswer(body, brief)
    assert job_service.queue.ask(job, None, 30)
    with sqlite3.connect(tmp_path / "verdicts.sqlite") as other:
        other.execute("DELETE FROM verdicts")
    assert job_service.verdict(job, viewer, 30) is None
    assert job_service.verdict(job, viewer, 30)["head"] == 1
    job_service.close()


def test_a_page_that_listens_gets_the_end_and_the_terminal_nothing(injected, tmp_path):
    start = "from jostle.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        start,
        "serve",
        "--repository",
        str(injected),
        "--listen",
        "127.0.0.1:0",
        "--cache",
        str(tmp_path),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None and one.stderr is not None
        said = ""
        while "Ctrl-C" not in said and (line := one.stdout.readline()):
            said += line
        found = re.search(r"(http://\S+)/\?token=\S+", said)
        assert found is not None
        with httpx.Client(timeout=60) as page:
            page.get(found[0])  # which brings the cookie
            with page.stream("GET", f"{found[1]}/api/v1/live") as live:
                lines = live.iter_lines()
                assert next(lines) == "event: commit"
                one.send_signal(signal.SIGINT)
                list(lines)  # to its end, which is no cut: that would be a RemoteProtocolError
        assert one.wait(60) == 0
        assert one.stdout.read() + one.stderr.read() == ""


SLOW = """
from jostle.server.verdicts import verdict_queue
begin = verdict_queue.WorkerProcess.__init__
def slow(worker, repository):
    begin(worker, repository)
    worker._command[2] = "from jostle.report.verdict import verdict_worker as worker; " \\
        "import sys, time; " \\
        "begun = lambda: open(sys.argv[1] + '.begun', 'w').close(); " \\
        "worker.answer = lambda *_: (begun(), time.sleep(600)); worker.main()"
verdict_queue.WorkerProcess.__init__ = slow
from jostle.cli import main; main()
"""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("segments", lambda pid: os.killpg(pid, signal.SIGINT)),
        ("verdict", lambda pid: os.kill(pid, signal.SIGTERM)),
    ],
    ids=["Ctrl-C", "kill"],
)
def test_it_ends_at_once_and_says_nothing_while_a_run_is_assessed(
    injected, tmp_path, question, end
):
    repository = shutil.copytree(injected, tmp_path / "repository")
    command = [
        sys.executable,
        "-c",
        SLOW,
        "serve",
        "--repository",
        str(repository),
        "--listen",
        "127.0.0.1:0",
        "--cache",
        str(tmp_path / "cache"),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as one:
        assert one.stdout is not None and one.stderr is not None
        said = ""
        while "Ctrl-C" not in said and (line := one.stdout.readline()):
            said += line
        found = re.search(r"(http://\S+)/\?token=(\S+)", said)
        assert found is not None
        bears = {"Authorization": f"Bearer {found[2]}"}
        with httpx.Client(base_url=found[1], headers=bears, timeout=60) as page:
            job = page.get("/api/v1/jobs").json()["jobs"][0]["job"]
            asker = threading.Thread(
                target=lambda: page.get(f"/api/v1/jobs/{job}/{question}"), daemon=True
            )
            asker.start()
            begun, until = tmp_path / "repository.begun", time.monotonic() + 60
            while not begun.exists() and time.monotonic() < until:
                time.sleep(0.02)
            assert begun.exists()
            end(one.pid)
            assert one.wait(30) in (0, -signal.SIGTERM)
            asker.join(30)
        assert one.stdout.read() + one.stderr.read() == ""
