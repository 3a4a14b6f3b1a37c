"""Measures how soon jostle answers about a thousand running jobs, and what delays its answers.

Nothing is simulated faster than it happens: processes write a slice when it has ended. The services
are the real ones, as for a day. In the second half of the time a viewer takes no answers, the
ingester stands still for a while, and `jostle serve` is restarted.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jostle.repository import Repository
from jostle_lab.validation.scale.profiles import program
from jostle_lab.validation.scale.services import (
    Pages,
    ReceiverService,
    Shipper,
    Sleepers,
    cpu_s,
    require_boot_ids,
    write_tokens,
)
from jostle_lab.validation.scale.spools import PROGRAMS, SLICE_NS, SimulatedNode, Written
from jostle_lab.validation.scale.truth import Comparison, compare
from jostle_lab.validation.scale.viewers import ask

#: Goal: two slices.
GOAL_S = 8.0
#: Interval between two questions, and between two posts of a node, s.
_ASK_S, _POST_S = 1.0, 1.0
#: Time for which the ingester stands still, s.
_STANDS_S = 6.0
#: First slices, which are not scored: all jobs begin at once.
_FIRST = 3
_SETTLE_S = 60.0
#: Answers that the viewer who takes none asks for.
_NOT_TAKEN = 200


@dataclass(frozen=True)
class NowSpec:
    """The parameters of the measurement.

    Attributes:
        jobs: Number of running jobs, of one process each.
        nodes: Number of nodes, among which the jobs are divided.
        slices: Number of slices of each half, the undisturbed one and the one with faults.
        seed: Seed of programs.
    """

    jobs: int = 1000
    nodes: int = 100
    slices: int = 30
    seed: int = 1


@dataclass(frozen=True)
class Seen:
    """One answer about all running jobs.

    Attributes:
        at_ns: Time at which the answer was there, Unix time.
        took_s: Time that it took, s.
        jobs: For each job: end of the newest slice that was evaluated, and evaluated time, in s.
    """

    at_ns: int
    took_s: float
    jobs: dict[str, tuple[int, float]] = field(default_factory=dict)


@dataclass
class NowResult:
    """The results of the measurement.

    Attributes:
        spec: The parameters.
        truth: Comparison of the repository with what was written.
        waits_s: Time from the end of each slice until an answer was based on it for all jobs, of
            the undisturbed half but for the first three, s.
        fault_waits_s: The same of the half with faults.
        answers_s: Time that each answer took, s.
        missing: Slices that the last answer leaves out, over all jobs.
        jobs: Number of jobs in the last answer.
        behind_s: Longest time by which the writers of profiles were late, s.
        happened: Time, s from the start, and kind of each fault.
        cpu_s: CPU time of each service, s.
    """

    spec: NowSpec
    truth: Comparison
    waits_s: list[float]
    fault_waits_s: list[float]
    answers_s: list[float]
    missing: int
    jobs: int
    behind_s: float
    happened: list[tuple[float, str]]
    cpu_s: dict[str, float]

    @property
    def is_good(self) -> bool:
        """Whether nothing is lost, and each undisturbed slice was in an answer in time."""
        complete = self.truth.is_same and not self.missing and self.jobs == self.spec.jobs
        return complete and bool(self.waits_s) and max(self.waits_s) <= GOAL_S


def simulate_now(
    spec: NowSpec, folder: Path, say: Callable[[str], None] = lambda _: None
) -> NowResult:
    """Run jobs, and ask about them.

    Args:
        spec: Parameters of the measurement.
        folder: Path of an empty folder for spools, mirrors, repository and logs.
        say: Function that is called with messages about the progress.

    Raises:
        ValidationError: This machine does not allow a process to have a boot ID of its own.
    """
    require_boot_ids(folder)
    run = _Run(spec, folder, say)
    try:
        run.run()
        return run.result()
    finally:
        run.end()


class _Run:
    def __init__(self, spec: NowSpec, folder: Path, say: Callable[[str], None]) -> None:
        self._spec, self._folder, self._say = spec, folder, say
        self._sleepers = Sleepers(-(-spec.jobs // spec.nodes))
        places = folder / "spools"
        self._nodes = [SimulatedNode(places, number, spec.seed) for number in range(spec.nodes)]
        write_tokens(folder, self._nodes)
        self._repository = folder / "repository"
        Repository(self._repository, create=True).close()
        self._receiver = ReceiverService(folder, 1, self._repository, 900.0)
        self._pages = Pages(folder, self._repository)
        self._shippers = [Shipper(node, self._receiver.url, _POST_S) for node in self._nodes]
        self._truths: list[Written] = []
        self._asked = Asked(lambda: self._pages)
        self._happened: list[tuple[float, str]] = []
        self._hanging: list[socket.socket] = []
        self._restarting: threading.Thread | None = None
        self._first = 0
        self._behind_s, self._cpu = 0.0, {"pages": 0.0}

    def run(self) -> None:
        """Write slices as they end; cause faults in the second half; wait for the last answer."""
        spec = self._spec
        self._first = time.time_ns() // SLICE_NS + 2
        self._start_jobs()
        self._asked.begin()
        faults = {
            spec.slices + spec.slices // 6: self._hang,
            spec.slices + spec.slices // 3: self._stand_still,
            spec.slices + 2 * spec.slices // 3: self._restart,
        }
        for at in range(2 * spec.slices):
            end_s = (self._first + at + 1) * SLICE_NS / 1e9
            time.sleep(max(end_s - time.time(), 0))
            for node in self._nodes:
                node.grow(1)
            self._behind_s = max(self._behind_s, time.time() - end_s)
            if at in faults:
                faults[at]()
        self._join()
        self._wait_for_answer()
        self._asked.end()
        for node in self._nodes:
            node.end_job()
        self._settle()

    def _start_jobs(self) -> None:
        programs = [program(f"/usr/bin/{name}", at) for at, name in enumerate(PROGRAMS)]
        for number in range(self._spec.jobs):
            node = self._nodes[number % len(self._nodes)]
            sleeper = self._sleepers.ids[number // len(self._nodes)]
            what = programs[number % len(programs)]
            self._truths += node.start(f"job-{number:05d}", what, self._first, [sleeper])

    # Faults.

    def _happen(self, kind: str) -> None:
        at_s = time.time() - self._first * SLICE_NS / 1e9
        self._happened.append((at_s, kind))
        self._say(f"{at_s:6.1f} s  {kind}")

    def _hang(self) -> None:
        """Ask for many answers and take none."""
        self._happen("a viewer takes no answers")
        host, _, port = self._pages.address.rpartition(":")
        client = socket.create_connection((host, int(port)), 10)
        client.setblocking(False)
        one = (
            f"GET /api/v1/now HTTP/1.1\r\nHost: {self._pages.address}\r\n"
            f"Authorization: Bearer {self._pages.token}\r\n\r\n"
        )
        with contextlib.suppress(BlockingIOError):
            client.send(one.encode() * _NOT_TAKEN)
        self._hanging.append(client)

    def _stand_still(self) -> None:
        """Stop the ingester; a thread lets it go on after a while."""
        self._happen(f"the ingester stands still for {_STANDS_S:g} s")
        pid = self._receiver.ingester()
        if pid:
            os.kill(pid, signal.SIGSTOP)
            threading.Timer(_STANDS_S, os.kill, (pid, signal.SIGCONT)).start()

    def _restart(self) -> None:
        self._happen("jostle serve is restarted")
        # In a thread, since processes go on writing meanwhile.
        self._restarting = threading.Thread(target=self._end_and_start)
        self._restarting.start()

    def _end_and_start(self) -> None:
        self._count_pages()
        self._pages.end()
        self._pages = Pages(self._folder, self._repository)

    # The end.

    def _wait_for_answer(self) -> None:
        """Wait until an answer is based on the last slice that can be evaluated yet."""
        last_ns = (self._first + 2 * self._spec.slices - 1) * SLICE_NS
        until = time.monotonic() + _SETTLE_S
        while time.monotonic() < until and not self._asked.has(last_ns, self._spec.jobs):
            time.sleep(0.2)

    def _settle(self) -> None:
        until = time.monotonic() + _SETTLE_S
        while time.monotonic() < until:
            if (
                not any(node.waiting() for node in self._nodes)
                and not self._receiver.metrics().get("jostle_receive_lag_seconds", 1.0)
                and not any(self._receiver.mirror.glob("*/*/*.jst"))
            ):
                return
            time.sleep(0.25)

    def _join(self) -> None:
        if self._restarting:
            self._restarting.join()

    def _count_pages(self) -> None:
        self._cpu["pages"] += cpu_s(self._pages.pid)

    def result(self) -> NowResult:
        """End the services, check the repository, and return the results."""
        self._count_pages()
        self._cpu["receiver"] = cpu_s(self._receiver.pid)
        self._cpu["ingester"] = cpu_s(self._receiver.ingester())
        self._receiver.end()
        store = Repository(self._repository)
        truth = compare(store, self._truths)
        store.close()
        spec, seen = self._spec, self._asked.seen
        halves = [
            range(self._first + at, self._first + at + spec.slices) for at in (0, spec.slices)
        ]
        # A slice is evaluated when the next one has ended; the last one is never.
        waits, fault_waits = (
            waits_of(seen, [(number + 1) * SLICE_NS for number in half], spec.jobs)
            for half in (halves[0][_FIRST:], halves[1][:-1])
        )
        return NowResult(
            spec,
            truth,
            waits,
            fault_waits,
            [each.took_s for each in seen],
            missing_of(seen[-1], self._first * SLICE_NS) if seen else spec.jobs,
            len(seen[-1].jobs) if seen else 0,
            self._behind_s,
            self._happened,
            self._cpu,
        )

    def end(self) -> None:
        """End every process."""
        self._join()
        self._asked.end()
        for client in self._hanging:
            client.close()
        for shipper in self._shippers:
            shipper.kill()
        self._receiver.end()
        self._pages.end()
        self._sleepers.end()


class Asked:
    """A thread that asks about running jobs, again and again.

    Attributes:
        seen: The answers.
    """

    def __init__(self, pages: Callable[[], Pages]) -> None:
        """Prepare; nothing is asked yet.

        Args:
            pages: Function that returns the present server.
        """
        self.seen: list[Seen] = []
        self._pages, self._over = pages, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Start to ask."""
        self._thread.start()

    def end(self) -> None:
        """Stop asking; may be called again."""
        self._over.set()
        if self._thread.ident:
            self._thread.join()

    def has(self, end_ns: int, jobs: int) -> bool:
        """Return whether the newest answer is based on a slice, for all jobs."""
        return bool(self.seen) and _is_on(self.seen[-1], end_ns, jobs)

    def _run(self) -> None:
        while not self._over.wait(_ASK_S):
            pages = self._pages()
            # A server that restarts does not answer.
            with contextlib.suppress(OSError, ValueError):
                status, content, took_s = ask(pages.address, pages.token, "now")
                if status == 200:
                    self.seen.append(_seen(json.loads(content), took_s))


def _seen(report: dict[str, Any], took_s: float) -> Seen:
    jobs = {row["job"]: (int(row["seen_ns"]), float(row["run_s"])) for row in report["jobs"]}
    return Seen(time.time_ns(), took_s, jobs)


def _is_on(seen: Seen, end_ns: int, jobs: int) -> bool:
    """Return whether an answer is based on the slice that ended at an instant, for all jobs."""
    return len(seen.jobs) >= jobs and all(ns >= end_ns for ns, _ in seen.jobs.values())


def waits_of(seen: Sequence[Seen], ends_ns: Sequence[int], jobs: int) -> list[float]:
    """Return the time from the end of each slice to the first answer that is based on it.

    Args:
        seen: The answers in order of time.
        ends_ns: Ends of the slices, Unix time.
        jobs: Number of jobs that an answer must have.

    Returns:
        The times, s; infinite for a slice on which no answer is based.
    """
    found = []
    for end_ns in ends_ns:
        first = next((each.at_ns for each in seen if _is_on(each, end_ns, jobs)), None)
        found.append(float("inf") if first is None else (first - end_ns) / 1e9)
    return found


def missing_of(seen: Seen, start_ns: int) -> int:
    """Return how many slices an answer leaves out, from the start to the newest one of each job.

    Args:
        seen: The answer.
        start_ns: Start of all jobs, Unix time.
    """
    slice_s = SLICE_NS / 1e9
    return sum(
        abs(round((ns - start_ns) / SLICE_NS) - round(run_s / slice_s))
        for ns, run_s in seen.jobs.values()
    )


def now_table(result: NowResult) -> list[str]:
    """Return the result as lines of text."""
    truth, spec = result.truth, result.spec
    rows = [
        ("running jobs, nodes", f"{spec.jobs}, {spec.nodes}"),
        ("process-slices written", f"{truth.slices}"),
        ("lost, doubled", f"{truth.lost}, {truth.doubled}"),
        ("jobs in the last answer", f"{result.jobs}"),
        ("slices that it leaves out", f"{result.missing}"),
        ("end of a slice to its answer, s", _range(result.waits_s)),
        ("the same with faults, s", _range(result.fault_waits_s)),
        ("an answer takes, s", _range(result.answers_s)),
        ("profiles were written late by, s", f"{result.behind_s:.2f}"),
        *((f"CPU time of the {name}, s", f"{used:.1f}") for name, used in result.cpu_s.items()),
        *((f"after {at:.0f} s", kind) for at, kind in result.happened),
    ]
    return [f"{name:34} {value}" for name, value in rows] + truth.wrong


def _range(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"median {statistics.median(values):.1f}, longest {max(values):.1f}"
