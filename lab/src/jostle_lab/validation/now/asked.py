"""Asks jostle about running jobs, as a user does, and stores the answers with their times."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.record_lines import append_line, read_lines
from jostle_lab.validation.scale.services import Pages, jostle
from jostle_lab.validation.scale.viewers import ask

#: Interval between two questions, s.
_EVERY_S = 0.5
#: How much higher the priority of jostle's services is than that of the jobs.
_PREFERRED = 8
_JOB_FIELDS = ("seen_ns", "now_percent", "place", "resource_kind", "because", "learning")
_CHANGE_FIELDS = ("at_ns", "found_ns", "kind", "what", "resource_kind", "percent", "because")


@dataclass(frozen=True)
class NewChange:
    """A change of a running job that an answer showed for the first time.

    Attributes:
        at_ns, found_ns, kind, what, resource_kind, percent, because: As in jostle's answer.
        suspects: Names of the suspects, the first one first.
    """

    at_ns: int
    found_ns: int
    kind: str
    what: str
    resource_kind: str
    percent: float
    because: str
    suspects: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobAnswer:
    """The answer about one job.

    Attributes:
        seen_ns, now_percent, place, resource_kind, because, learning: As in jostle's answer.
        suspects: Names of the suspects of the present loss, the first one first.
        changes: Changes that no earlier answer had.
    """

    seen_ns: int
    now_percent: float
    place: str
    resource_kind: str | None
    because: str | None
    learning: bool
    suspects: tuple[str, ...] = ()
    changes: tuple[NewChange, ...] = ()


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        asked_ns: Time of the question, Unix time.
        got_ns: Time at which the answer was there.
        jobs: Answers about the jobs, by name.
    """

    asked_ns: int
    got_ns: int
    jobs: Mapping[str, JobAnswer] = field(default_factory=dict)


@dataclass
class Recorder:
    """Makes the answers of a source shorter: only new changes are kept."""

    _known: set[tuple[str, int, str, str]] = field(default_factory=set)

    def short(self, asked_ns: int, got_ns: int, report: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as plain values, which `read_answers` reads."""
        jobs = {}
        for job in report["jobs"]:
            new = []
            for change in job["changes"]:
                key = job["job"], change["found_ns"], change["what"], change["resource_kind"]
                if key not in self._known:
                    self._known.add(key)
                    new.append(_fields(change, _CHANGE_FIELDS))
            jobs[job["job"]] = _fields(job, _JOB_FIELDS) | {"changes": new}
        return {"asked_ns": asked_ns, "got_ns": got_ns, "jobs": jobs}


def _fields(plain: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    suspects = [suspect["job"] for suspect in plain["suspects"]]
    return {name: plain[name] for name in names} | {"suspects": suspects}


def read_answers(path: Path) -> list[Answer]:
    """Read the answers of a session, except for a line that a crash cut off."""
    return read_lines(path, _answer)


def _answer(plain: dict[str, Any]) -> Answer:
    jobs = {name: _job_answer(job) for name, job in plain["jobs"].items()}
    return Answer(plain["asked_ns"], plain["got_ns"], jobs)


def _job_answer(plain: Mapping[str, Any]) -> JobAnswer:
    changes = tuple(
        NewChange(**{**change, "suspects": tuple(change["suspects"])})
        for change in plain["changes"]
    )
    return JobAnswer(**{**plain, "suspects": tuple(plain["suspects"]), "changes": changes})


@contextlib.contextmanager
def asking(repository: Path, spools: Sequence[Path], out: Path) -> Iterator[None]:
    """Ingest slices as they end, and ask `jostle serve` about running jobs.

    The page *Now* and `jostle top --server` ask the same question.

    Args:
        repository: Folder of the repository, which exists.
        spools: Folders with the profiles of the running jobs.
        out: File into which the answers are written.

    Raises:
        ValidationError: The server does not start, or did not answer in the end.
    """
    follower = subprocess.Popen(
        jostle("ingest", "--follow", "--remove", "--repository", repository, *spools),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    over = threading.Event()
    trouble: list[str] = []
    try:
        pages = Pages(out.parent, repository)
        _prefer(follower.pid)
        _prefer(pages.pid)
        try:
            asker = threading.Thread(target=_ask_again, args=(pages, out, over, trouble))
            asker.start()
            try:
                yield
            finally:
                over.set()
                asker.join()
        finally:
            pages.end()
    finally:
        follower.send_signal(signal.SIGINT)
        follower.wait(60)
    if trouble:
        raise ValidationError(f"jostle serve did not answer: {trouble[-1]}")


def _prefer(pid: int) -> None:
    """Give the threads of a process a higher priority than the jobs have.

    RATIONALE: on a cluster jostle's services run on another machine than the jobs.
    """
    priority = os.getpriority(os.PRIO_PROCESS, 0) - _PREFERRED
    for task in Path(f"/proc/{pid}/task").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(task.name), priority)


def _ask_again(pages: Pages, out: Path, over: threading.Event, trouble: list[str]) -> None:
    """Ask again and again; an error is only kept if the last question had it, too."""
    recorder = Recorder()
    out.unlink(missing_ok=True)
    while not over.wait(_EVERY_S):
        asked_ns = time.time_ns()
        try:
            status, content, _ = ask(pages.address, pages.token, "now")
        except OSError as error:
            trouble[:] = [str(error)]
            continue
        trouble[:] = [] if status == 200 else [f"HTTP status {status}"]
        if not trouble:
            append_line(out, recorder.short(asked_ns, time.time_ns(), json.loads(content)))
