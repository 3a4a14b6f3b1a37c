"""Runs the experiments on CephFS in a lab, each without and with the cause of the loss.

The run without the cause lasts a fixed time. The run with the cause does the same amount of work.
jostle's agents run on all hosts. Each run is recorded as soon as it is over, so that a killed
measurement resumes where it stopped.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.signals import SignalLog, read_log
from jostle_lab.validation.cephfs.faults import inject
from jostle_lab.validation.cephfs.plan import SLICE_NS, VICTIM, Experiment, Load, Rhythm, from_json
from jostle_lab.validation.errors import ValidationError, why
from jostle_lab.validation.json_lines import append_line, read_lines
from jostle_lab.validation.lab.jobs import profiled_words, signal_words, stop, wait
from jostle_lab.validation.lab.work import Work, plain_work, work_of

#: The lab: two object servers of 25 MB/s each; space for what a run writes.
RATE, SIZE = "200mbit", "6GiB"
#: Seconds of the run without what slows the victim.
ALONE_S = 22.0
#: Most seconds of the run with it, which then does less work than the other.
LONGEST_S = 50.0
_LIMIT_S = 150.0
#: Seconds until a load that was stopped has removed its files.
_REMOVE_S = 60.0
#: Seconds until programs are started, and for each file that a pattern needs before its start.
_LEAD_S, _FILE_S = 2.5, 1 / 300
_FILES_BEFORE = {"stat-files": 1000, "list-folder": 1000, "unlink-files": 1000}
#: Agents write a slice when it has ended; files that are removed at a run's end are gone by then.
_SETTLE_S = 1.0
#: Folder on the disk of a node.
_DISK = Path("/var/tmp")
#: Name of the fault among the bursts of loads.
FAULT = "fault"
_RECORDS = "experiments.jsonl"

#: Experiments done, experiments in all, the next one.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Run:
    """One run of a victim.

    Attributes:
        job: The victim's job in the repository.
        work: The victim's operations, and the times at which loads and the fault were active.
    """

    job: str
    work: Work

    def of(self, load: str) -> str:
        """Return the name of the job of a load."""
        return f"{self.job}-{load}"


@dataclass(frozen=True)
class Record:
    """The record of an experiment that was made.

    Attributes:
        experiment: Plan of the experiment.
        run: Run with the cause of the loss; None if it failed.
        without: Run of the same work without the cause; None in a quiet experiment, or if it
            failed.
        error: Reason why the experiment failed.
    """

    experiment: Experiment
    run: Run | None = None
    without: Run | None = None
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


def records(folder: Path) -> list[Record]:
    """Return the last record of each experiment, except for a line that a crash cut off."""
    found = {one.experiment.number: one for one in read_lines(folder / _RECORDS, _record)}
    return [found[number] for number in sorted(found)]


def _record(plain: dict[str, Any]) -> Record:
    runs = {
        name: Run(plain[name]["job"], plain_work(plain[name]["work"]))
        for name in ("run", "without")
        if plain[name]
    }
    return Record(from_json(plain["experiment"]), **runs, error=plain["error"])


def make(folder: Path, plan: Sequence[Experiment], name: str, progress: Progress) -> None:
    """Run the experiments of a plan that have not run yet, or that failed.

    Args:
        folder: Folder of the repository and the records.
        plan: Experiments to make.
        name: Name of the lab.
        progress: Function that is called before each experiment.

    Raises:
        JostleError: No lab is available here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = {one.experiment.number for one in records(folder) if not one.error}
    todo = [one for one in plan if one.number not in done]
    with contextlib.closing(_Labs(name)) as labs:
        for number, experiment in enumerate(todo):
            progress(len(plan) - len(todo) + number, len(plan), experiment.group)
            record = _made(labs, experiment, folder / "repository")
            append_line(folder / _RECORDS, record.to_json())


class _Labs:
    """The lab of all experiments; after a failure, which may have broken it, a new one."""

    def __init__(self, name: str) -> None:
        self._spec = LabSpec(
            name=name, fs="cephfs", storage_rate=RATE, size=SIZE, agents=f"{SLICE_NS // 10**6}ms"
        )
        self._lab: Lab | None = None

    def lab(self) -> Lab:
        """Return the lab, which is started if it does not run."""
        self._lab = self._lab or up(self._spec)
        return self._lab

    def close(self) -> None:
        """Take the lab down."""
        if self._lab is not None:
            self._lab.down()
        self._lab = None


def _made(labs: _Labs, experiment: Experiment, repository: Path) -> Record:
    lab = labs.lab()
    try:
        without = run_once(lab, experiment.without(), repository, ["--time", f"{ALONE_S:g}"])
        if experiment.quiet:
            return Record(experiment, without)
        operations = sum(pair[1] for pair in without.work.active) // _processes(experiment.victim)
        work = ["--iterations", str(operations), "--time", f"{LONGEST_S:g}"]
        return Record(experiment, run_once(lab, experiment, repository, work), without)
    except (JostleError, OSError, ValueError) as error:
        labs.close()
        return Record(experiment, error=why(error))


def _processes(words: str) -> int:
    parts = words.split()
    return int(parts[parts.index("--processes") + 1]) if "--processes" in parts else 1


def _files_before(words: str) -> int:
    return _FILES_BEFORE.get(words.split()[0], 0) * _processes(words)


def run_once(
    lab: Lab,
    experiment: Experiment,
    repository: Path,
    limit: Sequence[str],
    limit_s: float = _LIMIT_S,
    over: threading.Event | None = None,
) -> Run:
    """Run a victim once with its loads and fault, and ingest the profiles.

    Args:
        lab: Lab in which the victim runs.
        experiment: Victim, loads and fault.
        repository: Folder of the repository into which profiles are ingested.
        limit: Options of the victim that set its length.
        limit_s: Time limit of the victim, s; if the victim takes longer, the run has failed.
        over: Event that ends the run early, which has then failed.

    Raises:
        ValidationError: The victim or a load failed.
    """
    job = f"x{experiment.number:02d}-{time.time_ns() // 10**6 % 10**9}"
    hosts = [*lab.nodes, *lab.spec.server_names]
    for node in lab.nodes:
        shutil.rmtree(lab.local(node) / "log", ignore_errors=True)
        (lab.local(node) / "log").mkdir(parents=True)
        (lab.local(node) / "spool").mkdir(exist_ok=True)
    if experiment.meeting:
        subprocess.run(
            lab.command(VICTIM, ["mkdir", "-p", str(_meeting(lab))], cwd="/"), check=True
        )
    files = sum(_files_before(words) for words in (experiment.victim, *_words(experiment)))
    start_ns = (time.time_ns() + int((_LEAD_S + files * _FILE_S) * 1e9)) // SLICE_NS * SLICE_NS
    patience = (over or threading.Event(), limit_s)
    faults = _play(lab, experiment, job, start_ns, limit, patience)
    time.sleep(_SETTLE_S)
    Repository(repository, create=True).ingest(
        [lab.local(host) / "spool" for host in hosts], remove=True
    )
    log = read_log([lab.local(node) / "log" for node in lab.nodes])
    names = {load.name: f"{job}-{load.name}" for load in experiment.loads}
    work = work_of(log, job, names)
    if work is None:
        raise ValidationError(f"{job}: the log of the victim is not complete.")
    _check_loads(experiment, work, log)
    if experiment.fault:
        work.bursts[FAULT] = faults
    return Run(job, work)


def _check_loads(experiment: Experiment, work: Work, log: SignalLog) -> None:
    """Raise an error if a load was never active.

    Raises:
        ValidationError: A load was never active.
    """
    idle = [load.name for load in experiment.loads if not work.bursts[load.name]]
    if idle:
        raise ValidationError(
            f"Loads that were never active: {', '.join(idle)}. {' '.join(log.notes)}"
        )


def _words(experiment: Experiment) -> list[str]:
    return [load.words for load in experiment.loads]


def _play(
    lab: Lab,
    experiment: Experiment,
    job: str,
    start_ns: int,
    limit: Sequence[str],
    patience: tuple[threading.Event, float],
) -> list[list[int]]:
    """Run victim, loads and fault; return the bursts of the fault.

    The victim is stopped when the event of `patience` is set, or after its number of seconds.
    """
    over = threading.Event()
    words = [*experiment.victim.split(), *limit]
    if experiment.meeting:
        words += ["--meet", str(_meeting(lab))]
    with (
        tempfile.TemporaryFile() as errors,
        _ended([_job(lab, VICTIM, words, job, start_ns, errors)]) as (victim,),
    ):
        loads = [_load(lab, load, job, start_ns) for load in experiment.loads]
        with _ended(loads), ThreadPoolExecutor(1) as pool:
            fault = experiment.fault
            slow = pool.submit(inject, lab, fault, start_ns, over) if fault else None
            try:
                status = wait(victim, *patience)
            finally:
                over.set()
        if status:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise ValidationError(f"{job}: the victim ended with status {status}. {said}".strip())
    return slow.result() if slow else []


@contextlib.contextmanager
def _ended(processes: list[subprocess.Popen[bytes]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """End the processes of a list at the end of the block, so that they remove their files."""
    try:
        yield processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            stop(process, _REMOVE_S)


def _meeting(lab: Lab) -> Path:
    return lab.shared / "meeting"


def _job(
    lab: Lab, node: str, words: Sequence[str], job: str, start_ns: int, errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start a profiled job whose error messages are written to a file."""
    return _started(lab, node, _profiled(lab, _signal(lab, words, job, start_ns), job), errors)


def _signal(
    lab: Lab, words: Sequence[str], job: str, start_ns: int, folder: Path | None = None
) -> list[str]:
    return signal_words(
        words,
        job=job,
        folder=folder or lab.shared,
        log=lab.here / "log",
        start_ns=start_ns,
        slice_ns=SLICE_NS,
    )


def _profiled(lab: Lab, words: Sequence[str], job: str) -> list[str]:
    return profiled_words(words, job=job, spool=lab.here / "spool", slice_ns=SLICE_NS)


def _started(
    lab: Lab, node: str, words: Sequence[str], errors: IO[bytes] | int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        lab.command(node, words, {"JOSTLE": "on"}, "/"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )


def _load(lab: Lab, load: Load, victim: str, start_ns: int) -> subprocess.Popen[bytes]:
    """Start a load, which is active in its bursts until it is stopped."""
    job = f"{victim}-{load.name}"
    words = [*load.words.split(), "--until-stopped", *_periodic(load.rhythm, start_ns)]
    if load.folder == "meeting":
        words += ["--meet", str(_meeting(lab))]
    elsewhere = _DISK if load.folder == "elsewhere" else None
    command = _signal(lab, words, job, start_ns, elsewhere)
    if load.profiled:
        command = _profiled(lab, command, job)
    if load.folder == "victim's":
        command = _in_folder_of(lab, victim, command)
    return _started(lab, load.node, command)


def _periodic(rhythm: Rhythm, start_ns: int) -> list[str]:
    """Return the options with which a signal is active at the times of a rhythm."""
    period_ns = int(rhythm.period_s * 1e9)
    phase_ns = (start_ns + int(rhythm.first_s * 1e9)) % period_ns
    return [
        "--rest",
        "--period",
        f"{rhythm.period_s:g}",
        "--duty",
        f"{rhythm.on_s / rhythm.period_s:.6f}",
        "--phase",
        f"{phase_ns / 1e9:.9f}",
    ]


def _in_folder_of(lab: Lab, victim: str, command: Sequence[str]) -> list[str]:
    """Return a command line that runs a command in the folder that a victim makes for its files."""
    pattern = f"{shlex.quote(str(lab.shared))}/jostle-signal-{victim}-*"
    script = (
        f'for i in $(seq 100); do set -- {pattern}; [ -d "$1" ] && break; sleep 0.1; done; '
        f'exec {shlex.join(command)} --meet "$1"'
    )
    return ["sh", "-c", script]
