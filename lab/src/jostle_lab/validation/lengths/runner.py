"""Runs the experiments on slice lengths, several labs at a time, and records them."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.validation.cephfs.plan import SLICE_NS
from jostle_lab.validation.cephfs.runner import Run, run_once
from jostle_lab.validation.errors import why
from jostle_lab.validation.json_lines import append_line, read_lines
from jostle_lab.validation.lab.work import plain_work
from jostle_lab.validation.lengths.plan import Trial, from_json

#: Rate of a file server's link: low, so that several labs leave cores to each other.
RATES = {"sshfs": "40mbit", "cephfs": "80mbit"}
_SIZE = {"sshfs": "2GiB", "cephfs": "4GiB"}
#: A victim that takes so much longer than its set length has failed.
_PATIENCE_S = 60.0
_RECORDS = "trials.jsonl"

#: Trials done, trials in all, the next one.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Made:
    """The record of a trial that was made.

    Attributes:
        trial: Plan of the trial.
        fs: File system of the lab.
        repository: Folder of the repository with the trial's profiles, within the measurement's
            folder.
        run: Run of the victim; None if it failed.
        error: Reason why the trial failed.
    """

    trial: Trial
    fs: str
    repository: str
    run: Run | None = None
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the trial as plain values."""
        run = None if self.run is None else asdict(self.run)
        return {**self.__dict__, "trial": self.trial.to_json(), "run": run}


def made(folder: Path) -> list[Made]:
    """Return the last record of each trial in a folder, except for a line that a crash cut off."""
    found = {one.trial.experiment.number: one for one in read_lines(folder / _RECORDS, _read)}
    return [found[number] for number in sorted(found)]


def _read(plain: dict[str, Any]) -> Made:
    run = plain["run"]
    run = Run(run["job"], plain_work(run["work"])) if run else None
    return Made(**{**plain, "trial": from_json(plain["trial"]), "run": run})


class _Work:
    """The state that the labs share: the trials that are left, and the records of those done."""

    def __init__(self, folder: Path, fs: str, total: int, progress: Progress) -> None:
        self.folder, self.fs, self.total, self.progress = folder, fs, total, progress
        self.left: queue.SimpleQueue[Trial] = queue.SimpleQueue()
        self.done = 0
        self.over = threading.Event()
        self._lock = threading.Lock()

    def begin(self, trial: Trial) -> None:
        """Show the next trial."""
        with self._lock:
            kind = f"{trial.experiment.group}, {trial.seconds:.0f} s"
            self.progress(self.done, self.total, kind)

    def end(self, one: Made) -> None:
        """Record a trial."""
        with self._lock:
            append_line(self.folder / _RECORDS, one.to_json())
            self.done += 1


def make(
    folder: Path, plan: Sequence[Trial], fs: str, labs: int, name: str, progress: Progress
) -> None:
    """Run the trials of a plan that have not run yet, or that failed.

    Args:
        folder: Folder of the repositories and the records.
        plan: Trials to make.
        fs: File system of the labs, sshfs or cephfs.
        labs: Number of labs that run at the same time.
        name: Name of the labs; they are numbered.
        progress: Function that is called before each trial.

    Raises:
        JostleError: No lab is available here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = {one.trial.experiment.number for one in made(folder) if not one.error}
    todo = [trial for trial in plan if trial.experiment.number not in done]
    # The long ones first, so that the labs end at about the same time.
    todo.sort(key=lambda trial: -trial.seconds)
    work = _Work(folder, fs, len(plan), progress)
    work.done = len(plan) - len(todo)
    for apart in (False, True):
        some = [trial for trial in todo if trial.apart is apart]
        _in_labs(work, some, 1 if apart else labs, f"{name}{'x' * apart}")


def _in_labs(work: _Work, todo: Sequence[Trial], labs: int, name: str) -> None:
    """Run trials in several labs at a time; stop all if no lab can be started."""
    for trial in todo:
        work.left.put(trial)
    trouble: list[Exception] = []
    threads = [
        threading.Thread(target=_worker, args=(work, f"{name}{number}", trouble))
        for number in range(1, min(labs, len(todo)) + 1)
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        work.over.set()
        for thread in threads:
            thread.join()
    work.over.clear()
    if trouble:
        raise trouble[0]


def _worker(work: _Work, name: str, trouble: list[Exception]) -> None:
    """Run one trial after the other in a lab; after a failure start a new lab."""
    lab: Lab | None = None
    spec = LabSpec(
        name=name,
        nodes=4,
        fs=work.fs,
        storage_rate=RATES[work.fs],
        size=_SIZE[work.fs],
        agents=f"{SLICE_NS // 10**6}ms",
    )
    try:
        while not work.over.is_set():
            try:
                trial = work.left.get_nowait()
            except queue.Empty:
                return
            lab = lab or up(spec)
            work.begin(trial)
            one = _made(lab, trial, work, name)
            if work.over.is_set():  # it was interrupted, and is made again later
                return
            work.end(one)
            if one.error:
                _down(lab)
                lab = None
    except Exception as error:  # an exception in a thread would not be reported
        trouble.append(error)
        work.over.set()
    finally:
        _down(lab)


def _down(lab: Lab | None) -> None:
    if lab is not None:
        with contextlib.suppress(JostleError):
            lab.down()


def _made(lab: Lab, trial: Trial, work: _Work, repository: str) -> Made:
    try:
        limit = ["--time", f"{trial.seconds:g}"]
        patience = trial.seconds + _PATIENCE_S
        folder = work.folder / repository
        run = run_once(lab, trial.experiment, folder, limit, patience, work.over)
    except (JostleError, OSError, ValueError) as error:
        return Made(trial, work.fs, repository, error=why(error))
    return Made(trial, work.fs, repository, run)
