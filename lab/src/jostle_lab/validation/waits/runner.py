"""Runs the experiments in a lab, and logs what was injected, where and when.

Each run is recorded as soon as it is over, so that a killed measurement resumes where it was.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.validation.errors import ValidationError, why
from jostle_lab.validation.lab.jobs import profiled_words, stop
from jostle_lab.validation.lab.steps import MPI, compile_steps
from jostle_lab.validation.record_lines import append_line, last_records
from jostle_lab.validation.waits.injections import NodeGroups, injected
from jostle_lab.validation.waits.plan import CORES, OWN, Experiment, Injection, from_json

SLICE_NS = 100_000_000
_CORE_PROBE = "20ms"
_STARTS_S, _ENDS_S = 30.0, 30.0
_RECORDS = "experiments.jsonl"

#: Experiments done, experiments in all, the next one.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Record:
    """The record of an experiment that was made.

    Attributes:
        experiment: Plan of the experiment.
        job: Name of the job in the repository.
        spans: Begin and end of each injection, ns since the epoch.
        error: Reason why the experiment failed.
    """

    experiment: Experiment
    job: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


def records(folder: Path) -> list[Record]:
    """Return the last record of each experiment, except for a line that a crash cut off."""

    def parse(plain: dict[str, Any]) -> Record:
        spans = tuple((int(begin), int(end)) for begin, end in plain["spans"])
        return Record(from_json(plain["experiment"]), plain["job"], spans, plain["error"])

    return last_records(folder / _RECORDS, parse, lambda one: one.experiment.number)


def make(folder: Path, plan: Sequence[Experiment], name: str, progress: Progress) -> None:
    """Run the experiments of a plan that have not run yet, or that failed.

    Args:
        folder: Folder of the repository and the records.
        plan: Experiments to make.
        name: Name of the labs.
        progress: Function that is called before each experiment.

    Raises:
        JostleError: No lab is available here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = compile_steps(folder)
    made = {one.experiment.number for one in records(folder) if not one.error}
    todo = [one for one in plan if one.number not in made]
    with _lab(name, max((one.program.nodes for one in plan), default=CORES)) as (lab, groups):
        for number, experiment in enumerate(todo):
            progress(len(plan) - len(todo) + number, len(plan), experiment.kind)
            try:
                record = _Run(lab, groups, experiment, program).made(folder)
            except (JostleError, OSError, ValueError) as error:
                record = Record(experiment, error=why(error))
            append_line(folder / _RECORDS, record.to_json())


@contextlib.contextmanager
def _lab(name: str, nodes: int) -> Iterator[tuple[Lab, NodeGroups]]:
    lab = up(LabSpec(name=name, nodes=nodes, fs="plain", uplink_rate="2gbit"))
    groups: NodeGroups | None = None
    try:
        groups = NodeGroups(lab)
        yield lab, groups
    finally:
        lab.down()  # first: a group with a process in it cannot be removed
        if groups is not None:
            groups.remove()


class _Run:
    """One run of the program, with its injections."""

    def __init__(self, lab: Lab, groups: NodeGroups, experiment: Experiment, program: Path) -> None:
        self._lab, self._groups = lab, groups
        self._experiment, self._program = experiment, program
        few = experiment.program.nodes <= CORES
        every = ",".join(map(str, range(CORES)))
        self._cores = [str(at) if few and at < CORES else every for at in range(len(lab.nodes))]

    def made(self, folder: Path) -> Record:
        """Run the program, and ingest its profiles.

        Raises:
            ValidationError: The program failed.
        """
        job = f"w{self._experiment.number:03d}-{time.time_ns() // 10**6 % 10**9}"
        lab, nodes = self._lab, self._lab.nodes[: self._experiment.program.nodes]
        for node in nodes:
            shutil.rmtree(lab.local(node) / "spool", ignore_errors=True)
            (lab.local(node) / "spool").mkdir(mode=0o700)
        begun = lab.local(nodes[0]) / "begun"
        begun.unlink(missing_ok=True)
        with tempfile.TemporaryFile() as output, contextlib.ExitStack() as stack:
            for at, _ in enumerate(nodes if self._experiment.everybody else []):
                count = self._experiment.everybody
                stack.enter_context(self._groups.busy(nodes[at], self._cores[at], count))
            process = subprocess.Popen(
                self._command(job), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
            try:
                spans = self._inject(process, begun)
                status = process.wait(_ENDS_S)
            except subprocess.TimeoutExpired:
                status = 124
            finally:
                stop(process)
            if status:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()[-300:]
                raise ValidationError(f"{job} ended with status {status}. {said}")
        spools = [lab.local(node) / "spool" for node in nodes]
        Repository(folder / "repository", create=True).ingest(spools, remove=True)
        return Record(self._experiment, job, tuple(spans))

    def _command(self, job: str) -> list[str]:
        program, own = self._experiment.program, self._experiment.own
        here = self._lab.here
        words = [
            str(self._program),
            f"{self._experiment.seconds:.2f}",
            f"{program.work_us:.0f}",
            f"{program.sleep_us:.0f}",
            str(program.message),
            str(here / "written") if program.write else "",
            str(program.write),
            str(own.node if own else -1),
            f"{own.strength if own else program.factor:.3f}",
            f"{program.turn_s:.3f}",
            str(here / "begun"),
        ]
        words = profiled_words(words, job=job, spool=here / "spool", slice_ns=SLICE_NS)
        placement = dict.fromkeys(self._lab.nodes[: program.nodes], 1)
        variables = {"JOSTLE": "on", "JOSTLE_CORE_PROBE": _CORE_PROBE}
        if program.nodes <= CORES:
            # A rank with a core of its own need not yield it: a process that yields waits for the
            # rest of the machine, whatever its weight.
            variables["OMPI_MCA_mpi_yield_when_idle"] = "0"
        words = [*self._groups.words(self._cores), *words]
        return self._lab.mpirun(MPI, placement, words, variables, "/")

    def _inject(self, process: subprocess.Popen[bytes], begun: Path) -> list[tuple[int, int]]:
        """Make nodes slow at the planned times; return the times at which each was slow."""
        latest = time.monotonic() + _STARTS_S
        while not begun.exists():
            if process.poll() is not None or time.monotonic() > latest:
                raise ValidationError("The program did not start.")
            time.sleep(0.01)
        start_ns, spans = time.time_ns(), []
        for injection in self._experiment.injections:
            if injection.cause == OWN:
                spans.append((start_ns, start_ns + round(self._experiment.seconds * 1e9)))
                continue
            spans.append(self._one(injection, start_ns))
        time.sleep(max(start_ns / 1e9 + self._experiment.seconds - time.time(), 0))
        return spans

    def _one(self, injection: Injection, start_ns: int) -> tuple[int, int]:
        begin_s = start_ns / 1e9 + injection.begin_s
        time.sleep(max(begin_s - time.time(), 0))
        with injected(self._lab, self._groups, injection, self._cores[injection.node]):
            begin_ns = time.time_ns()
            time.sleep(max(begin_s + injection.length_s - time.time(), 0))
            return begin_ns, time.time_ns()
