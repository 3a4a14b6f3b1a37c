"""Runs the experiments on advice: without the change, then asks jostle, then with the change.

What is recorded of a run is the log of its jobs. Each experiment is recorded as soon as it is over,
so that a killed measurement continues where it was.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle.topology.store import FOLDER, save
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.validation.advice.changes import changed_messages, run_changed
from jostle_lab.validation.advice.plan import LICENCE, TOPOLOGY, Experiment, from_json
from jostle_lab.validation.advice.predictions import foresee
from jostle_lab.validation.advice.runs import (
    SLICE_NS,
    Rounds,
    compile_program,
    prepare,
    run,
    seconds_of,
    spools,
)
from jostle_lab.validation.errors import why
from jostle_lab.validation.lab import messages
from jostle_lab.validation.record_lines import append_line, last_records

#: Rate of a file server's link, and of the links of a topology: low, so that links, and not this
#: machine's cores, limit the jobs.
_RATE, _LINK_RATE = {"sshfs": "80mbit", "cephfs": "40mbit"}, "20mbit"
_SIZE = {"sshfs": "2GiB", "cephfs": "4GiB"}
_RECORDS = "experiments.jsonl"

#: Experiments done, experiments in all, the next one.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Record:
    """The record of an experiment that was made.

    Attributes:
        experiment: Plan of the experiment.
        mark: Prefix of the jobs' names in the experiment's repository.
        before_s: Run time of each job without the lever, by its log, in seconds.
        after_s: Run time of each job with the lever, by its log, in seconds.
        setting: Setting of the lever that was applied.
        error: Reason why the experiment failed.
    """

    experiment: Experiment
    mark: str = ""
    before_s: Mapping[str, float] = field(default_factory=dict)
    after_s: Mapping[str, float] = field(default_factory=dict)
    setting: Mapping[str, float] = field(default_factory=dict)
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return asdict(self)


def repository_of(folder: Path, experiment: Experiment) -> Path:
    """Return the repository with the profiles of an experiment's run without the lever."""
    return folder / "repositories" / f"{experiment.number:02d}"


def records(folder: Path) -> list[Record]:
    """Return the last record of each experiment in a folder."""

    def parse(plain: dict[str, Any]) -> Record:
        return Record(**{**plain, "experiment": from_json(plain["experiment"])})

    return last_records(folder / _RECORDS, parse, lambda one: one.experiment.number)


def make(
    folder: Path, plan: Sequence[Experiment], name: str, seed: int, progress: Progress
) -> None:
    """Run the experiments of a plan that have not run yet, or that failed, one after the other.

    Args:
        folder: Folder of the repositories and the records.
        plan: Experiments to make.
        name: Name of the labs.
        seed: Seed of jostle's random steps.
        progress: Function that is called before each experiment.

    Raises:
        JostleError: No lab is available here, or the program of the jobs cannot be compiled.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = {one.experiment.number for one in records(folder) if not one.error}
    todo = [one for one in plan if one.number not in done]
    todo.sort(key=lambda one: (one.lab, one.number))  # each lab is started once
    with tempfile.TemporaryDirectory() as here, contextlib.closing(_Labs(name)) as labs:
        program = compile_program(Path(here))
        for number, experiment in enumerate(todo):
            what = f"{experiment.lever} on {experiment.fs}"
            progress(len(plan) - len(todo) + number, len(plan), what)
            lab = labs.lab(experiment)
            try:
                record = _Made(lab, experiment, folder, program, seed).record()
            except (JostleError, OSError, ValueError) as error:
                with contextlib.suppress(JostleError):
                    labs.close()
                record = Record(experiment, error=why(error))
            append_line(folder / _RECORDS, record.to_json())


def spec_of(name: str, experiment: Experiment) -> LabSpec:
    """Return the specification of the lab that an experiment needs.

    Labs with Slurm have no agents: their agents would send profiles to a receiver.
    """
    fs, by_slurm, fabric = experiment.lab
    if fabric:
        return LabSpec(
            name=name, fs="plain", topology=TOPOLOGY, uplink_rate=_LINK_RATE, size="64MiB"
        )
    return LabSpec(
        name=name,
        fs=fs,
        storage_rate=_RATE[fs],
        size=_SIZE[fs],
        slurm=by_slurm,
        agents="" if by_slurm else f"{SLICE_NS // 10**6}ms",
    )


class _Labs:
    """The lab of the present experiment; one that is started for another kind replaces it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kind: tuple[str, bool, bool] | None = None
        self._lab: Lab | None = None

    def lab(self, experiment: Experiment) -> Lab:
        """Return a lab for an experiment, which is started if it does not run."""
        if self._lab is None or self._kind != experiment.lab:
            self.close()
            self._lab, self._kind = up(spec_of(self._name, experiment)), experiment.lab
        return self._lab

    def close(self) -> None:
        """Take the lab down."""
        lab, self._lab = self._lab, None
        if lab is not None:
            lab.down()


class _Made:
    """An experiment that is being made."""

    def __init__(
        self, lab: Lab, experiment: Experiment, folder: Path, program: Path, seed: int
    ) -> None:
        self._lab, self._experiment, self._seed = lab, experiment, seed
        self._repository = repository_of(folder, experiment)
        self._program = program
        self._mark = f"a{experiment.number:02d}-{time.time_ns() // 10**6 % 10**9}"

    def record(self) -> Record:
        """Run the jobs without the lever, ask jostle, and run them with the lever.

        Raises:
            JostleError: A job failed, or the lever cannot be applied.
        """
        shutil.rmtree(self._repository, ignore_errors=True)  # of an attempt that failed
        before = self._run_messages(self._repository) if self._experiment.messages else self._run()
        setting = self._advised() or dict(self._experiment.usual)
        after = self._changed(setting)
        return Record(self._experiment, self._mark, before, after, setting)

    def _advised(self) -> dict[str, float]:
        """Return the setting of the lever that jostle advises; empty if it advises none."""
        with contextlib.suppress(Exception):  # a defect in an answer shows when it is scored
            return dict(
                foresee(self._repository, self._experiment, self._mark, self._seed)[0].setting
            )
        return {}

    def _run(self) -> dict[str, float]:
        prepare(self._lab, self._program)
        found = run(self._lab, self._experiment, self._experiment.jobs, mark=self._mark)
        self._repository.parent.mkdir(parents=True, exist_ok=True)
        Repository(self._repository, create=True).ingest(spools(self._lab), remove=True)
        return self._seconds(found)

    def _run_messages(self, repository: Path, *, changed: bool = False) -> dict[str, float]:
        """Run the jobs that send messages; return the run time of the first one."""
        jobs = self._experiment.messages
        if changed:
            jobs = tuple(changed_messages(self._experiment))
        repository.parent.mkdir(parents=True, exist_ok=True)
        truth = messages.run(self._lab, jobs, repository, slice_ns=SLICE_NS)
        topology = self._lab.topology()
        assert topology is not None  # it was requested
        save(repository / FOLDER, topology)
        return {self._experiment.first: truth.took_s}

    def _changed(self, setting: Mapping[str, float]) -> dict[str, float]:
        if self._experiment.messages:
            with tempfile.TemporaryDirectory() as folder:
                return self._run_messages(Path(folder) / "repository", changed=True)
        prepare(self._lab, self._program)
        mark = f"{self._mark}-changed"
        return self._seconds(run_changed(self._lab, self._experiment, setting, mark=mark))

    def _seconds(self, found: Mapping[str, Rounds]) -> dict[str, float]:
        """Return the run times of the first job, with LICENCE of all jobs."""
        names = [self._experiment.first]
        if self._experiment.lever == LICENCE:
            names = [job.name for job in self._experiment.jobs]
        return {name: seconds_of(found[name]) for name in names}
