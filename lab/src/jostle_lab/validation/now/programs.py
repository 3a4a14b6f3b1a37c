"""Starts the jobs of a session and the culprits of its disturbances in a lab."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jostle_lab.cluster import Lab
from jostle_lab.signals import SignalLog, read_log
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.jobs import profiled_words, signal_words, stop
from jostle_lab.validation.lab.steps import MPI, read_steps
from jostle_lab.validation.now.plan import LINK, OWN, SLICE_NS, UNPROFILED, Disturbance, Job

#: Folder on the disk of a node.
_DISK = Path("/var/tmp")
_CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
#: CPU weight of the control group; one process of the machine has 1024.
_WEIGHT = 20 * 1024
#: Ranks that wait take core time, which programs with a normal priority can have instead.
_NICE = ("nice", "-n", "10")
#: The node with a core of its own. A hog of its memory is on the other cores, and takes only what
#: others leave of them.
APART = "node1"
#: Share of the work of rank 0 that the other ranks of a program do.
_LESS = 20


class Programs:
    """The programs of one session.

    Attributes:
        start_ns: Time at which the jobs begin to work, Unix time.
    """

    def __init__(self, lab: Lab, steps: Path, cores: Cores, prefix: str, start_ns: int) -> None:
        """Remove the logs of earlier sessions.

        Args:
            lab: The lab.
            steps: The program of steps.
            cores: The cores of the lab's hosts.
            prefix: Prefix of the names of all jobs.
            start_ns: Time at which the jobs begin to work, Unix time.
        """
        self._lab, self._steps, self._cores, self._prefix = lab, steps, cores, prefix
        self.start_ns = start_ns
        self._running: list[subprocess.Popen[bytes]] = []
        for node in lab.nodes:
            shutil.rmtree(lab.local(node) / "log", ignore_errors=True)
            (lab.local(node) / "log").mkdir(parents=True)
            (lab.local(node) / "spool").mkdir(exist_ok=True)

    def name(self, job: str) -> str:
        """Return the name of a job in the repository."""
        return f"{self._prefix}-{job}"

    def job(self, job: Job, seconds: float) -> None:
        """Start a job that runs so many seconds from the start of the session."""
        if job.steps is not None:
            self._mpi_steps(job, seconds)
            return
        words = [*job.words.split(), "--time", f"{seconds:g}"]
        folder = _DISK if job.elsewhere else self._lab.shared
        command = self._signal(words, job.name, self.start_ns, folder)
        self._start(job.nodes[0], self._profiled(command, self.name(job.name)))

    def culprit(self, one: Disturbance, number: int) -> None:
        """Start the program of a disturbance, which begins its load at the planned instant."""
        begin_ns = self.start_ns + round(one.begin_s * 1e9)
        words = [*one.words.split(), "--time", f"{one.length_s:g}"]
        name = culprit(number)
        if one.kind == LINK:
            self._mpi_signal(one, words, name, begin_ns)
            return
        command = self._signal(words, name, begin_ns, self._lab.shared)
        if one.kind != UNPROFILED:
            job = one.target if one.kind == OWN else name
            command = self._profiled(command, self.name(job))
        memory = one.words.split()[0] == "memory"
        self._start(one.nodes[0], command, elsewhere=memory)

    def end(self) -> None:
        """End all programs, and wait until they have."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            stop(process, 20.0)
        self._running = []

    def log(self) -> SignalLog:
        """Return what the signals logged."""
        return read_log([self._lab.local(node) / "log" for node in self._lab.nodes])

    def steps(self, job: Job) -> list[int]:
        """Return when each step of an MPI job ended, in ns since the epoch."""
        return read_steps(self._lab.local(job.nodes[0]) / "log" / f"{job.name}.steps")

    def _signal(self, words: Sequence[str], job: str, begin_ns: int, folder: Path) -> list[str]:
        needs = folder if words[0] not in ("cpu", "memory", "cache") else None
        return signal_words(
            words,
            job=job,
            folder=needs,
            log=self._lab.here / "log",
            start_ns=begin_ns,
            slice_ns=SLICE_NS,
        )

    def _profiled(self, words: Sequence[str], job: str) -> list[str]:
        spool = self._lab.here / "spool"
        return profiled_words(words, job=job, spool=spool, slice_ns=SLICE_NS)

    def _mpi_steps(self, job: Job, seconds: float) -> None:
        steps = job.steps
        assert steps is not None
        log = self._lab.here / "log"
        words = [
            str(self._steps),
            f"{seconds:.2f}",
            f"{steps.work_us / _LESS:.1f}",
            f"{steps.sleep_us:.0f}",
            str(steps.message),
            "",
            "0",
            "0",
            str(_LESS),
            "0",
            str(log / f"{job.name}.begun"),
            str(steps.memory),
            str(log / f"{job.name}.steps"),
        ]
        self._mpirun(job.nodes, words, job.name, nice=job.nodes[0] != APART)

    def _mpi_signal(self, one: Disturbance, words: list[str], job: str, begin_ns: int) -> None:
        words = signal_words(
            words,
            job=job,
            folder=None,
            log=self._lab.here / "log",
            start_ns=begin_ns,
            slice_ns=SLICE_NS,
            mpi=MPI,
        )
        self._mpirun(one.nodes, words, job, nice=True)

    def _mpirun(self, nodes: Sequence[str], words: Sequence[str], job: str, *, nice: bool) -> None:
        words = [*(_NICE if nice else ()), *self._profiled(words, self.name(job))]
        ranks = [*self._cores.words(apart=nodes[0] == APART), *words]
        placement = {node: list(nodes).count(node) for node in nodes}
        self._popen(self._lab.mpirun(MPI, placement, ranks, {"JOSTLE": "on"}, "/"))

    def _start(self, node: str, command: Sequence[str], *, elsewhere: bool = False) -> None:
        """Start a program on a node, on the node's cores or on others (a hog of memory)."""
        words = [*self._cores.words(apart=node == APART and not elsewhere), *command]
        if elsewhere:
            words = [*_NICE, *words]
        self._popen(self._lab.command(node, words, {"JOSTLE": "on"}, "/"))

    def _popen(self, command: Sequence[str]) -> None:
        self._running.append(
            subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )


@contextlib.contextmanager
def _one_group(name: str) -> Iterator[None]:
    """Run in one control group what is started in the block, if there are groups of version 1.

    RATIONALE: the kernel puts the processes of each session (setsid) into a group of its own, and
    priorities count only within a group. So the few processes of an MPI job would get as much core
    time as all other jobs together. The group also has more weight than other programs here.
    """
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    named = [line.split(":", 2)[2] for line in lines if "cpu" in line.split(":", 2)[1].split(",")]
    before, group = _CPU_GROUPS / (named or [""])[0].strip("/"), _CPU_GROUPS / name
    try:
        group.mkdir()
        (group / "cpu.shares").write_text(str(_WEIGHT))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        with contextlib.suppress(OSError):
            group.rmdir()
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (before / "cgroup.procs").write_text(str(os.getpid()))
            group.rmdir()


def culprit(number: int) -> str:
    """Return the name of the culprit of a session's disturbance, counted from 0."""
    return f"culprit-{number + 1}"


@dataclass(frozen=True)
class Cores:
    """The cores of this machine, as the hosts of a lab have them.

    Attributes:
        apart: The core of node1.
        others: The cores of all other hosts, and of jostle's services.
    """

    apart: int
    others: tuple[int, ...]

    @classmethod
    def of_machine(cls) -> Cores:
        """Divide the cores that this process may use.

        Raises:
            ValidationError: There is only one core.
        """
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            raise ValidationError("Two cores are needed: one is that of node1.")
        return cls(cores[0], tuple(cores[1:]))

    @contextlib.contextmanager
    def kept_apart(self) -> Iterator[None]:
        """Start what is started in the block (the lab, the services) on the other cores."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.others)
        try:
            with _one_group(f"jostle-now-{os.getpid()}"):
                yield
        finally:
            os.sched_setaffinity(0, before)

    def words(self, *, apart: bool) -> list[str]:
        """Return the prefix of a command that binds it to cores."""
        cores = [self.apart] if apart else self.others
        return ["taskset", "-c", ",".join(map(str, cores))]
