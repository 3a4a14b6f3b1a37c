"""The queue of verdicts to compute: first those that were requested, then those on newest jobs.

A separate process computes them, one after another.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from jostle.report.verdict.verdict_worker import VerdictAnswer, VerdictProgress, VerdictRequest
from jostle.server.jobs.index import JobIndex
from jostle.server.verdicts.verdict_store import StoredVerdict, VerdictStore, now, sight

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate

#: Shortest age of a running job's verdict before it is made again, s, and idle time after a verdict
#: in multiples of the time that it took: verdicts take at most a tenth of the time.
LIVE_S, _IDLE = 30.0, 9.0
#: A failed verdict is tried again after this, s: a file may have been restored.
_AGAIN_S = 600.0
#: Interval at which the thread checks for new tasks by itself, s.
_POLL_S = 1.0
_OVER = VerdictAnswer(error="The server ends.")


class WorkerProcess:
    """The process that computes verdicts; it is started when needed, and again after a crash."""

    def __init__(self, repository: str) -> None:
        """Prepare the command; the process is started by the first request."""
        begin = "from jostle.report.verdict.verdict_worker import main; main()"
        self._command = [sys.executable, "-c", begin, repository]
        self._process: subprocess.Popen[bytes] | None = None
        self._over = False

    def ask(
        self, question: VerdictRequest, say: Callable[[VerdictProgress], None] = lambda _: None
    ) -> VerdictAnswer:
        """Evaluate a job in the process and return its answer.

        Args:
            question: The job, and the users whose jobs may be named.
            say: Function that is called with the progress.
        """
        if self._process is None or self._process.poll() is not None:
            if self._over:
                return _OVER
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    process_group=0,  # Ctrl-C is for the server, which ends it
                )
            except OSError as error:  # too many processes or open files, or no memory
                time.sleep(_POLL_S)  # the jobs that wait for a verdict must not all fail at once
                return VerdictAnswer(
                    error=f"The process that evaluates {question.job} cannot be started: "
                    f"{error.strerror}.",
                    hint="Check the limits of the server's processes and open files (`ulimit -a`).",
                )
        process = self._process
        assert process.stdin and process.stdout
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            while isinstance(message := pickle.load(process.stdout), VerdictProgress):
                say(message)
        except Exception:  # the process died or sent something invalid: there is no answer
            process.kill()
            status = process.wait()
            self._process = None
            end = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
            return VerdictAnswer(
                error=f"The process that evaluates {question.job} died ({end}).",
                hint=f"Run `jostle estimate {question.job}`, and please report the error.",
            )
        return cast(VerdictAnswer, message)

    def open(self) -> None:
        """Allow the process to be started again after `end`."""
        self._over = False

    def end(self) -> None:
        """Kill the process, also during a request."""
        self._over = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]


@dataclass(frozen=True)
class _Task:
    job: str
    users: frozenset[int] | None
    asked: bool = False
    #: Set when only the estimate is requested: the caller waits for it.
    waits: Future[VerdictAnswer] | None = None


class VerdictQueue:
    """Keeps the verdicts on the jobs of a repository up to date."""

    def __init__(self, index: JobIndex, verdicts: VerdictStore) -> None:
        """Create an idle queue; `ask`, `estimate` or `follow` starts its thread."""
        self.on_verdict: Callable[[str], None] = lambda _job: None
        self.on_stored: Callable[[StoredVerdict], None] = lambda _verdict: None
        #: Called with job, `sight` of the users, mark of the job's data, and the estimate.
        self.on_estimate: Callable[[str, str, str, RunEstimate], None] = lambda *_: None
        self._index = index
        self._verdicts = verdicts
        self._worker = WorkerProcess(index.repository.name)
        self._news = threading.Condition()
        self._asked: list[_Task] = []
        self._followed: set[frozenset[int] | None] = set()
        self._live_after = 0.0
        self._over = False
        #: The job that is being evaluated, and the progress.
        self._now: tuple[str, VerdictProgress | None] = ("", None)
        self._thread: threading.Thread | None = None
        weakref.finalize(self, self._worker.end)

    def ask(self, job: str, users: frozenset[int] | None, wait_s: float) -> StoredVerdict | None:
        """Return the verdict on a job's current data; None if it takes longer than `wait_s`.

        Args:
            job: Name of the job.
            users: Users (uids) whose jobs may be named; None: everybody's.
            wait_s: Time to wait for the verdict, in seconds.
        """
        verdict = self._current(job, users)
        if verdict is not None:
            return verdict
        self._begin()
        task, end = _Task(job, users, asked=True), time.monotonic() + wait_s
        with self._news:
            if task not in self._asked:
                self._asked.append(task)
                self._news.notify_all()
            while (verdict := self._current(job, users)) is None and not self._over:
                left = end - time.monotonic()
                if left <= 0 or not self._news.wait(left):
                    break
        return verdict or self._current(job, users)

    def progress(self, job: str) -> VerdictProgress | None:
        """Return the progress of the verdict on a job; None: another verdict is computed first."""
        now, verdict_progress = self._now
        return verdict_progress if now == job else None

    def estimate(self, job: str, users: frozenset[int] | None) -> VerdictAnswer:
        """Estimate a job with its segments, ahead of all verdicts, and wait for it.

        Args:
            job: Name of the job.
            users: Users (uids) whose jobs may be named; None: everybody's.
        """
        waits: Future[VerdictAnswer] = Future()
        self._begin()
        with self._news:
            if self._over:
                return _OVER
            self._asked.insert(0, _Task(job, users, asked=True, waits=waits))
            self._news.notify_all()
        return waits.result()

    def follow(self, users: frozenset[int] | None) -> None:
        """Compute verdicts on all jobs of some users, also if nobody requests them.

        Args:
            users: Users (uids) whose jobs are evaluated, and may be named in the verdicts; None:
                all users.
        """
        if users not in self._followed:
            self._begin()
            with self._news:
                self._followed.add(users)
                self._news.notify_all()

    def open(self) -> None:
        """Allow work after `end`: an application may be started more than once."""
        self._over = False
        self._worker.open()

    def end(self) -> None:
        """End the process and the thread."""
        self._over = True
        self._worker.end()
        with self._news:
            for task in self._asked:
                if task.waits is not None and not task.waits.done():
                    task.waits.set_result(_OVER)
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join(5)
            self._thread = None

    def _begin(self) -> None:
        with self._news:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="assess")
                self._thread.start()

    def _current(self, job: str, users: frozenset[int] | None) -> StoredVerdict | None:
        """Return the stored verdict on a job, unless it must be computed again now."""
        verdict, row = self._verdicts.get(job, sight(users)), self._index.rows.get(job)
        if verdict is None or row is None:
            return None
        age = now() - verdict.made
        if verdict.mark == self._index.marks.get(job):
            return None if verdict.error and age > _AGAIN_S else verdict
        return verdict if row["running"] and age < max(LIVE_S, _IDLE * verdict.seconds) else None

    def _run(self) -> None:
        while not self._over:
            with self._news:
                task = self._next()
                if task is None:
                    self._news.wait(_POLL_S)
                    continue
            if task.waits is None:
                self._evaluate(task)
            else:
                self._estimate(task, task.waits)

    def _estimate(self, task: _Task, waits: Future[VerdictAnswer]) -> None:
        verdict_answer = self._worker.ask(VerdictRequest(task.job, task.users, only=True))
        with self._news:
            self._asked.remove(task)
            if not waits.done():
                waits.set_result(verdict_answer)

    def _next(self) -> _Task | None:
        if self._asked:
            return self._asked[0]
        return next(self._waiting(), None)

    def _waiting(self) -> Iterator[_Task]:
        """Yield the jobs of followed users that have no current verdict, the newest first."""
        for users in list(self._followed):
            for row in reversed(list(self._index.rows.values())):
                if users is not None and row["uid"] not in users:
                    continue
                if row["running"] and time.monotonic() < self._live_after:
                    continue
                if self._current(row["job"], users) is None:
                    yield _Task(row["job"], users)

    def _evaluate(self, task: _Task) -> None:
        row, mark = self._index.rows.get(task.job), self._index.marks.get(task.job, "")
        begin = time.monotonic()
        if row is not None and self._current(task.job, task.users) is None:
            verdict_answer = self._worker.ask(
                VerdictRequest(task.job, task.users, whole=task.asked),
                lambda verdict_progress: setattr(self, "_now", (task.job, verdict_progress)),
            )
            if self._over:
                return
            seconds = time.monotonic() - begin
            verdict = StoredVerdict(
                task.job,
                sight(task.users),
                mark,
                now(),
                seconds,
                verdict_answer.brief,
                verdict_answer.error,
                verdict_answer.hint,
            )
            self._verdicts.put(verdict, verdict_answer.body)
            self.on_stored(verdict)
            if verdict_answer.estimate is not None:
                self.on_estimate(task.job, sight(task.users), mark, verdict_answer.estimate)
            if row["running"]:
                self._live_after = time.monotonic() + _IDLE * seconds
        with self._news:
            self._asked = [other for other in self._asked if other != task]
            self._news.notify_all()
        self.on_verdict(task.job)
