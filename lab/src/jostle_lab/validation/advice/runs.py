"""Runs the jobs of an experiment in a lab, started directly or by Slurm, and reads their logs."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jostle_lab.cluster import Lab
from jostle_lab.validation.advice.plan import LICENCE, SOLVER, WRITER, Experiment, Job
from jostle_lab.validation.cephfs.faults import inject
from jostle_lab.validation.cephfs.plan import Fault
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.jobs import profiled_words, stop

SLICE_NS = 250_000_000
#: Time until programs are started; longest run; time until a stopped job has removed its files.
_LEAD_S, _LONGEST_S, _REMOVE_S = 2.5, 200.0, 30.0
#: Agents write a slice when it has ended.
_SETTLE_S = 1.0
_POLL_S = 0.1
#: Folder of a node for the profiles of one run; those of agents are in another one.
_PROFILES = "profiles"
_SOURCE = Path(__file__).with_name("rounds.c")
#: Begin and end of each round of a job, ns since the epoch.
Rounds = list[tuple[int, int]]


def seconds_of(rounds: Sequence[tuple[int, int]]) -> float:
    """Return the run time of a job from its log, in seconds.

    Raises:
        ValidationError: The log has no round.
    """
    if not rounds:
        raise ValidationError("A job did no round.")
    return (rounds[-1][1] - rounds[0][0]) / 1e9


def compile_program(folder: Path) -> Path:
    """Compile the program of the jobs into a folder; return its path.

    Raises:
        ValidationError: There is no compiler, or it fails.
    """
    program = folder / "rounds"
    command = ["cc", "-O2", "-o", str(program), str(_SOURCE)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise ValidationError(f"{_SOURCE.name} cannot be compiled: no cc is installed.") from error
    if done.returncode:
        raise ValidationError(f"{_SOURCE.name} cannot be compiled: {done.stderr.strip()}")
    return program


def prepare(lab: Lab, program: Path) -> None:
    """Copy the program into a lab under both of its names, and make empty folders on its nodes."""
    for name in (SOLVER, WRITER):
        shutil.copy(program, lab.folder / name)
    for node in lab.nodes:
        for part in ("log", _PROFILES):
            shutil.rmtree(lab.local(node) / part, ignore_errors=True)
            (lab.local(node) / part).mkdir(mode=0o700)


def spools(lab: Lab) -> list[Path]:
    """Return the folders with profiles: of the last run, and of the lab's agents."""
    agents = (*lab.nodes, *lab.spec.server_names) if lab.spec.agents else ()
    return [
        *(lab.local(node) / _PROFILES for node in lab.nodes),
        *(lab.local(host) / "spool" for host in agents),
    ]


def run(
    lab: Lab, experiment: Experiment, jobs: Sequence[Job], *, mark: str, at_once: int = 0
) -> dict[str, Rounds]:
    """Run jobs until the first one has ended, with LICENCE all; return the rounds of each job.

    Args:
        lab: The lab.
        experiment: The experiment; its fault is injected.
        jobs: The jobs, the first one first.
        mark: Prefix of the jobs' names in the repository.
        at_once: Most jobs that run at the same time, in their order; 0: no limit.

    Raises:
        ValidationError: A job failed, or did not end.
    """
    start_s = time.time() + _LEAD_S
    jobs = list(jobs)
    waiting = jobs[at_once:] if at_once else []
    processes: dict[str, subprocess.Popen[bytes]] = {}
    with _stopped(processes), _fault(lab, experiment.fault, start_s):
        for job in jobs[: at_once or None]:
            processes[job.name] = _start(lab, job, mark, start_s)
        ends = [job.name for job in (jobs if experiment.lever == LICENCE else jobs[:1])]
        latest = time.monotonic() + _LONGEST_S
        while any(processes[name].poll() is None for name in ends):
            running = [name for name, each in processes.items() if each.poll() is None]
            while waiting and len(running) < at_once:
                job = waiting.pop(0)
                processes[job.name] = _start(lab, job, mark, start_s)
                running.append(job.name)
            if time.monotonic() > latest:
                raise ValidationError(f"{jobs[0].name} did not end within {_LONGEST_S:g} s.")
            time.sleep(_POLL_S)
        failed = [name for name in ends if processes[name].returncode]
        if failed:
            raise ValidationError(f"Jobs that failed: {', '.join(failed)}.")
    time.sleep(_SETTLE_S)
    return {job.name: _rounds_of(lab, job.name) for job in jobs}


def run_by_slurm(
    lab: Lab, jobs: Sequence[Job], options: Mapping[str, Sequence[str]], *, mark: str
) -> dict[str, Rounds]:
    """Submit jobs to a lab's Slurm in their order; return the rounds of each job.

    NOTE: on a busy machine, jobs of Slurm and those that `run` starts get different shares of the
    cores, since they are in different sessions. The machine must be idle.

    Args:
        lab: The lab, with Slurm.
        jobs: The jobs, the first one first.
        options: Options of `sbatch` for each job, by its name.
        mark: Prefix of the jobs' names.

    Raises:
        ValidationError: A job failed, or did not end.
    """
    start_s = time.time() + _LEAD_S
    numbers = {}
    try:
        for job in jobs:
            numbers[job.name] = _submit(lab, job, options[job.name], mark, start_s)
        latest = time.monotonic() + 2 * _LONGEST_S
        # Those without a number of rounds are cancelled when the others have ended.
        while not _are_done(lab, jobs):
            over = time.monotonic() > latest or not _queue(lab)
            if over and not _are_done(lab, jobs):
                raise ValidationError("Jobs of Slurm failed, or did not end.")
            time.sleep(1.0)
    finally:
        with contextlib.suppress(ValidationError):  # it refuses jobs that have ended
            said(lab, "scancel", *numbers.values())
        _wait_for_slurm(lab)
    return {job.name: _rounds_of(lab, job.name) for job in jobs}


def said(lab: Lab, *words: str, host: str = "node1") -> str:
    """Return the output of a command on a host of a lab.

    Raises:
        ValidationError: The command fails.
    """
    command = lab.command(host, words, {"JOSTLE": "on"}, "/")
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ValidationError(f"{words[0]} failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def _words(lab: Lab, job: Job, mark: str, start_s: float) -> list[str]:
    """Return the command line of a job, the same on all nodes."""
    words = [
        str(lab.folder / job.program),
        str(lab.here / "log" / job.name),
        str(lab.shared / f"{mark}-{job.name}"),
        f"{start_s + job.delay_s:.6f}",
        str(job.rounds),
        f"{job.pause_s:.6f}",
        f"{job.work_s:.6f}",
        str(job.bytes),
        str(job.chunk),
        str(int(job.sync)),
        str(job.processes),
    ]
    spool = lab.here / _PROFILES
    words = profiled_words(words, job=f"{mark}-{job.name}", spool=spool, slice_ns=SLICE_NS)
    if job.pinned:
        # NOTE: all nodes share this machine's cores. Pinned jobs of one node share a core; those of
        # different nodes do not.
        choose = '[ "$(hostname)" = node1 ] && core=0 || core=1; exec taskset -c $core "$@"'
        words = ["sh", "-c", choose, "sh", *words]
    return words


def _start(lab: Lab, job: Job, mark: str, start_s: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        lab.command(job.node, _words(lab, job, mark, start_s), {"JOSTLE": "on"}, "/"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _submit(lab: Lab, job: Job, options: Sequence[str], mark: str, start_s: float) -> str:
    words = shlex.join(_words(lab, job, mark, start_s))
    wrapped = ["--output=/dev/null", f"--wrap=exec {words}"]
    return said(lab, "sbatch", "--parsable", *options, *wrapped).strip()


def _are_done(lab: Lab, jobs: Sequence[Job]) -> bool:
    """Return whether all jobs with a number of rounds have done them."""
    return all(len(_rounds_of(lab, job.name)) >= job.rounds for job in jobs)


def _queue(lab: Lab) -> str:
    """Return Slurm's list of the jobs that have not ended; "" if all have."""
    return said(lab, "squeue", "--noheader").strip()


def _wait_for_slurm(lab: Lab) -> None:
    end = time.monotonic() + _REMOVE_S
    while _queue(lab):
        if time.monotonic() > end:
            raise ValidationError("Slurm does not end the jobs.")
        time.sleep(0.5)


@contextlib.contextmanager
def _stopped(processes: Mapping[str, subprocess.Popen[bytes]]) -> Iterator[None]:
    """Stop all processes at the end of the block, so that they remove their files."""
    try:
        yield
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            stop(process, _REMOVE_S)


@contextlib.contextmanager
def _fault(lab: Lab, fault: Fault | None, start_s: float) -> Iterator[None]:
    """Inject a fault during the block, if there is one."""
    if fault is None:
        yield
        return
    over = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(inject, lab, fault, int(start_s * 1e9), over)
        try:
            yield
        finally:
            over.set()
    slow.result()


def _rounds_of(lab: Lab, name: str) -> Rounds:
    """Return the rounds of a job from its log, on whichever node it ran."""
    for node in lab.nodes:
        path = lab.local(node) / "log" / name
        if path.exists():
            lines = path.read_text().splitlines()
            pairs = [line.split() for line in lines if line.count(" ") == 1]
            return [(int(begin), int(end)) for begin, end in pairs if end.isdigit()]
    return []
