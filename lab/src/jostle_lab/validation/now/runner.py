"""Runs the sessions in labs, asks jostle meanwhile, and logs what was injected and what it cost.

Each session is recorded as soon as it is over, so that a killed measurement resumes where it was.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.signals import SignalLog
from jostle_lab.validation.cephfs.faults import slow
from jostle_lab.validation.errors import ValidationError, why
from jostle_lab.validation.lab.steps import compile_steps
from jostle_lab.validation.lab.work import merged
from jostle_lab.validation.now.asked import Answer, asking, read_answers
from jostle_lab.validation.now.plan import (
    LINK,
    SERVER,
    SLICE_NS,
    Disturbance,
    Job,
    Session,
    from_json,
)
from jostle_lab.validation.now.programs import Cores, Programs, culprit
from jostle_lab.validation.record_lines import append_line, read_lines

#: Rate of a file server's link and of the link between the switches; space for files.
_RATES = {"sshfs": "60mbit", "cephfs": "160mbit"}
_UPLINK = "50mbit"
_SIZES = {"sshfs": "3GiB", "cephfs": "6GiB"}
#: Time until all jobs have started, s, and from the start of a culprit to its load.
_LEAD_S, _CULPRIT_LEAD_S, _MPI_LEAD_S = 6.0, 2.0, 4.0
#: Time after the end of a session until all of its slices were in an answer.
_SETTLE_S = 3.0
_RECORDS = "sessions.jsonl"

#: Sessions done, sessions in all, the next one.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Record:
    """The record of a session that was made.

    Attributes:
        session: Plan of the session.
        prefix: Prefix of its jobs' names in jostle's answers.
        start_ns, end_ns: Start and end of the session, Unix time.
        spans: Begin and end of each disturbance, Unix time, by the logs of what was injected.
        work: Units of work that each job finished in each slice, and the time that these took, by
            the jobs' own logs: number of the slice, units, ns.
        error: Reason why the session failed.
    """

    session: Session
    prefix: str = ""
    start_ns: int = 0
    end_ns: int = 0
    spans: tuple[tuple[int, int], ...] = ()
    work: Mapping[str, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the session as plain values."""
        return asdict(self)


def records(folder: Path) -> list[Record]:
    """Return the last record of each session, except for a line that a crash cut off."""
    found = {one.session.number: one for one in read_lines(folder / _RECORDS, _record)}
    return [found[number] for number in sorted(found)]


def _record(plain: dict[str, Any]) -> Record:
    spans = tuple((int(begin), int(end)) for begin, end in plain["spans"])
    work = {
        job: tuple((int(number), int(units), int(ns)) for number, units, ns in rows)
        for job, rows in plain["work"].items()
    }
    session = from_json(plain["session"])
    return Record(**{**plain, "session": session, "spans": spans, "work": work})


def answers(folder: Path, record: Record) -> list[Answer]:
    """Return jostle's answers during a session that was made."""
    return read_answers(_answers_file(folder, record.session))


def _answers_file(folder: Path, session: Session) -> Path:
    return folder / f"answers-{session.number:02d}.jsonl"


def make(folder: Path, plan: Sequence[Session], name: str, progress: Progress) -> None:
    """Run the sessions of a plan that have not run yet, or that failed.

    Args:
        folder: Folder of the answers and the records.
        plan: Sessions to make.
        name: Name of the labs.
        progress: Function that is called before each session.

    Raises:
        JostleError: No lab is available here, or this machine has only one core.
    """
    folder.mkdir(parents=True, exist_ok=True)
    steps, cores = compile_steps(folder), Cores.of_machine()
    done = {one.session.number for one in records(folder) if not one.error}
    todo = [one for one in plan if one.number not in done]
    with cores.kept_apart(), contextlib.closing(_Labs(name)) as labs:
        for number, session in enumerate(todo):
            kinds = ", ".join(one.kind for one in session.disturbances)
            progress(len(plan) - len(todo) + number, len(plan), f"{session.fs}: {kinds}")
            lab = labs.lab(session.fs)
            try:
                record = _made(lab, session, folder, steps, cores)
            except (JostleError, OSError, ValueError) as error:
                labs.close()
                record = Record(session, error=why(error))
            append_line(folder / _RECORDS, record.to_json())


class _Labs:
    """The present lab; a new one for another file system, and after a failure that may break it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lab: Lab | None = None

    def lab(self, fs: str) -> Lab:
        """Return the lab with a file system, which is started if it does not run."""
        if self._lab is not None and self._lab.spec.fs != fs:
            self.close()
        spec = LabSpec(
            name=self._name,
            fs=fs,
            storage_rate=_RATES[fs],
            uplink_rate=_UPLINK,
            size=_SIZES[fs],
            agents=f"{SLICE_NS // 10**6}ms",
        )
        self._lab = self._lab or up(spec)
        return self._lab

    def close(self) -> None:
        """Take the lab down."""
        if self._lab is not None:
            self._lab.down()
        self._lab = None


def _made(lab: Lab, session: Session, folder: Path, steps: Path, cores: Cores) -> Record:
    """Run a session."""
    prefix = f"n{session.number:02d}-{time.time_ns() // 10**6 % 10**6}"
    repository = folder / "repository"
    shutil.rmtree(repository, ignore_errors=True)
    Repository(repository, create=True).close()
    spools = [lab.local(host) / "spool" for host in (*lab.nodes, *lab.spec.server_names)]
    with asking(repository, spools, _answers_file(folder, session)):
        start_ns = (time.time_ns() + round(_LEAD_S * 1e9)) // SLICE_NS * SLICE_NS
        programs = Programs(lab, steps, cores, prefix, start_ns)
        try:
            slowed = _play(lab, session, programs)
            end_ns = time.time_ns()
            time.sleep(_SETTLE_S)
        finally:
            programs.end()
    shutil.rmtree(repository, ignore_errors=True)
    log = programs.log()
    spans = [slowed.get(n) or _span(log, n) for n in range(len(session.disturbances))]
    work = {programs.name(job.name): _work(job, programs, log) for job in session.jobs}
    return Record(session, prefix, start_ns, end_ns, tuple(spans), work)


def _play(lab: Lab, session: Session, programs: Programs) -> dict[int, tuple[int, int]]:
    """Run jobs and disturbances; return the spans in which servers were slow."""
    over, slowed = threading.Event(), {}
    for job in session.jobs:
        programs.job(job, session.seconds)
    planned = list(enumerate(session.disturbances))
    try:
        for number, one in planned:
            if one.resident:
                programs.culprit(one, number)
        for number, one in planned:
            if one.kind == SERVER:
                slowed[number] = _slow(lab, one, programs, over)
            elif not one.resident:
                lead_s = _MPI_LEAD_S if one.kind == LINK else _CULPRIT_LEAD_S
                _until(programs.start_ns, one.begin_s - lead_s)
                programs.culprit(one, number)
        _until(programs.start_ns, session.seconds)
    finally:
        over.set()
    return slowed


def _slow(lab: Lab, one: Disturbance, programs: Programs, over: threading.Event) -> tuple[int, int]:
    _until(programs.start_ns, one.begin_s)
    begin_ns = time.time_ns()
    end_ns = programs.start_ns + round((one.begin_s + one.length_s) * 1e9)
    slow(lab, one.nodes[0], one.words, one.part, end_ns, over)
    return begin_ns, time.time_ns()


def _until(start_ns: int, seconds: float) -> None:
    time.sleep(max(start_ns / 1e9 + seconds - time.time(), 0))


def _span(log: SignalLog, number: int) -> tuple[int, int]:
    """Return begin and end of the load of a disturbance's culprit.

    Raises:
        ValidationError: The culprit did nothing.
    """
    name = culprit(number)
    spans = [
        [row["begin_ns"], row["end_ns"]] for row in log.bursts.to_pylist() if row["job"] == name
    ]
    if not spans:
        raise ValidationError(f"{name} was never active. {' '.join(log.notes)}".strip())
    every = merged(spans)
    return every[0][0], every[-1][1]


def _work(job: Job, programs: Programs, log: SignalLog) -> tuple[tuple[int, int, int], ...]:
    """Return the work of a job in each slice.

    Raises:
        ValidationError: The job did nothing.
    """
    found: dict[int, tuple[int, int]] = {}

    def add(number: int, units: int, ns: int) -> None:
        old = found.get(number, (0, 0))
        found[number] = old[0] + units, old[1] + ns

    if job.steps is not None:
        ends = programs.steps(job)
        for begin, end in itertools.pairwise(ends):
            add(end // SLICE_NS, 1, end - begin)
    for row in log.slices.to_pylist():
        if row["job"] == job.name:
            add(row["slice"], row["operations"], row["busy_ns"])
    if not found:
        raise ValidationError(f"{job.name} did nothing.")
    return tuple((number, *found[number]) for number in sorted(found))
