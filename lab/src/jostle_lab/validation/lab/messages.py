"""Runs jobs that only send messages in a lab, and computes how much they slowed the first one.

The first job, the watched one, has a fixed amount of work. The others send messages in bursts until
it ends.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from jostle.repository import Repository
from jostle_lab.cluster import Lab
from jostle_lab.signals import SignalLog, read_log
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.jobs import profiled_words, signal_words

#: The MPI whose waiting ranks leave their core to others.
_MPI = "openmpi"
#: Time that starting ranks on several nodes takes.
_LEAD_S, _BURST_LEAD_S = 3.0, 1.5
_LIMIT_S = 180.0


@dataclass(frozen=True)
class MessageJob:
    """A job whose ranks, one on each node, all send to each other.

    Attributes:
        name: Name of the job.
        nodes: Nodes of the ranks.
        chunk: Size of a message from each rank to each other rank, in the syntax of `jostle
            signal`.
        iterations: Number of iterations; 0: the job is active in bursts.
        bursts: Begin and length of each burst, in seconds from the start of the watched job.
        harm: Whether the job uses links that the watched job needs.
    """

    name: str
    nodes: tuple[str, ...]
    chunk: str = "256KiB"
    iterations: int = 0
    bursts: tuple[tuple[float, float], ...] = ()
    harm: bool = False


@dataclass(frozen=True)
class Truth:
    """The activity of jobs, by their own logs.

    Attributes:
        took_s: Run time of the watched job, in seconds.
        lost_s: Seconds that harmful jobs cost the watched job. Only slices in which they were
            active count: their time, less the time that the work done in them takes at the watched
            job's rate in slices without other active jobs.
        bytes: Bytes that the ranks of each job sent to other ranks.
    """

    took_s: float
    lost_s: float
    bytes: dict[str, int]


def run(
    lab: Lab,
    jobs: Sequence[MessageJob],
    repository: Path,
    *,
    slice_ns: int,
    say: Callable[[float], None] = lambda seconds: None,
) -> Truth:
    """Run the watched job and the others at the same time, and ingest their profiles.

    Args:
        lab: The lab.
        jobs: The jobs; names must be new in the repository.
        repository: Folder of the repository; created if it does not exist.
        slice_ns: Length of the slices of profiles and logs.
        say: Function that is called twice a second with the seconds since the start of the watched
            job.

    Raises:
        ValidationError: A job failed, or the watched job was never alone.
        JostleError: MPI or a part of jostle is not installed.
    """
    for node in lab.nodes:
        for part in ("spool", "log"):
            shutil.rmtree(lab.local(node) / part, ignore_errors=True)
            (lab.local(node) / part).mkdir(mode=0o700, parents=True)
    first_ns = (time.time_ns() + int(_LEAD_S * 1e9)) // slice_ns * slice_ns
    starter = _JobStarter(lab, slice_ns, first_ns)
    starter.play(jobs, say)
    spools = [lab.local(node) / "spool" for node in lab.nodes]
    Repository(repository, create=True).ingest(spools, remove=True)
    return truth(read_log([lab.local(node) / "log" for node in lab.nodes]), jobs, slice_ns)


class _JobStarter:
    """Starts and ends the jobs."""

    def __init__(self, lab: Lab, slice_ns: int, start_ns: int) -> None:
        self._lab, self._slice_ns, self._start_ns = lab, slice_ns, start_ns
        self._ended = threading.Event()

    def play(self, jobs: Sequence[MessageJob], say: Callable[[float], None]) -> None:
        """Run all jobs until the first one, the watched job, has done its work."""
        watched, *others = jobs
        limit = ["--iterations", str(watched.iterations)]
        process = self._started(watched, limit, self._start_ns)
        try:
            with ThreadPoolExecutor(max(len(others), 1)) as pool:
                try:
                    alongside = [pool.submit(self._bursts, job) for job in others]
                    status = self._wait(process, say)
                finally:
                    self._ended.set()
        finally:
            process.kill()
            process.wait()
        for each in alongside:
            each.result()
        if status:
            raise ValidationError(f"{watched.name} ended with status {status}.")

    def _bursts(self, job: MessageJob) -> None:
        """Run a job in bursts, each with new processes, so that no core is used in between."""
        for begin, length in job.bursts:
            at_ns = self._start_ns + int(begin * 1e9)
            if self._ended.wait(max((at_ns - time.time_ns()) / 1e9 - _BURST_LEAD_S, 0)):
                return
            process = self._started(job, ["--time", f"{length:.3f}"], at_ns)
            try:
                process.wait(length + 20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _started(
        self, job: MessageJob, limit: Sequence[str], start_ns: int
    ) -> subprocess.Popen[bytes]:
        here = self._lab.here
        words = signal_words(
            ["all-to-all", "--chunk", job.chunk, *limit],
            job=job.name,
            folder=None,
            log=here / "log",
            start_ns=start_ns,
            slice_ns=self._slice_ns,
            mpi=_MPI,
        )
        words = profiled_words(words, job=job.name, spool=here / "spool", slice_ns=self._slice_ns)
        ranks = dict.fromkeys(job.nodes, 1)
        return subprocess.Popen(
            self._lab.mpirun(_MPI, ranks, words, {"JOSTLE": "on"}, "/"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _wait(self, process: subprocess.Popen[bytes], say: Callable[[float], None]) -> int:
        end = time.monotonic() + _LIMIT_S
        while process.poll() is None:
            if time.monotonic() > end:
                return 124
            say((time.time_ns() - self._start_ns) / 1e9)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        return process.returncode


def truth(log: SignalLog, jobs: Sequence[MessageJob], slice_ns: int) -> Truth:
    """Return the activity of jobs by the logs of their signals.

    Raises:
        ValidationError: The watched job was never alone for a slice.
    """
    watched, *others = jobs
    spans: dict[str, list[tuple[int, int]]] = {job.name: [] for job in jobs}
    for row in log.bursts.to_pylist():
        spans[row["job"]].append((row["begin_ns"], row["end_ns"]))
    done: dict[int, int] = {}
    for row in log.slices.to_pylist():
        if row["job"] == watched.name:
            done[row["slice"]] = done.get(row["slice"], 0) + row["operations"]
    lead_ns = int(_BURST_LEAD_S * 1e9)  # starting ranks use the cores of others
    busy = _slices(
        [(begin - lead_ns, end) for job in others for begin, end in spans[job.name]], slice_ns
    )
    calm = [
        count
        for number, count in done.items()
        if not {number - 1, number} & busy and {number - 1, number + 1} <= done.keys()
    ]
    if not calm:
        raise ValidationError(f"{watched.name} was never alone.")
    usual = statistics.median(calm)
    harmed = _slices([span for job in others if job.harm for span in spans[job.name]], slice_ns)
    begin, end = min(b for b, _ in spans[watched.name]), max(e for _, e in spans[watched.name])
    inside = [n for n in harmed if begin // slice_ns < n < end // slice_ns]
    lost = sum(1 - done.get(number, 0) / usual for number in inside) * slice_ns / 1e9
    ranks = {job.name: len(job.nodes) for job in jobs}
    sent = dict.fromkeys(ranks, 0)
    for row in log.processes.to_pylist():  # one of the n blocks of each call stays in the rank
        sent[row["job"]] += row["bytes"] * (ranks[row["job"]] - 1) // ranks[row["job"]]
    return Truth((end - begin) / 1e9, lost, sent)


def _slices(spans: Sequence[tuple[int, int]], slice_ns: int) -> set[int]:
    """Return the slices that spans of time touch."""
    return {
        number for begin, end in spans for number in range(begin // slice_ns, end // slice_ns + 1)
    }
