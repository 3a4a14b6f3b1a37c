"""Executes the runs of a study that are not yet done, one after another."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jostle.repository import Repository, StudyStore
from jostle_lab.study import launch as launching
from jostle_lab.study.errors import ConfigError, StudyError
from jostle_lab.study.execute import RECORD_VERSION, Execution
from jostle_lab.study.facts import versions
from jostle_lab.study.model import Study
from jostle_lab.study.places.place import Local, StudyPlatform
from jostle_lab.study.plan import PlannedRun, PlannedTime, plan
from jostle_lab.study.processes import sweep


@dataclass(frozen=True)
class StudyProgress:
    """The progress of a study, for the display.

    Attributes:
        done, total: Number of runs that are done, and of all runs.
        run: The current run, or the run that just ended; None before the first run.
        record: Record of that run, once it has ended.
        left_s: Estimated time left, in seconds.
        said: Description of the work between runs, such as starting a lab.
    """

    done: int
    total: int
    run: PlannedRun | None
    record: Mapping[str, Any] | None
    left_s: float
    said: str = ""


@dataclass
class RunOutcome:
    """How a call of `run_study` ended.

    Attributes:
        made: Number of runs that this call executed.
        done: Number of runs of the plan that are stored.
        total: Number of runs of the plan.
        failed: Number of stored runs in which a program failed.
        warnings: Warnings, one sentence for each.
    """

    made: int = 0
    done: int = 0
    total: int = 0
    failed: int = 0
    warnings: list[str] = field(default_factory=list)


def begin(study: Study, repository: Repository, *, fresh: bool = False) -> tuple[PlannedRun, ...]:
    """Compare a study with the study of the same name in the repository.

    Args:
        study: The study.
        repository: Repository that stores the study.
        fresh: Whether to delete the stored study.

    Returns:
        The plan.

    Raises:
        ConfigError: A different study has the same name.
    """
    runs = plan(study)
    store = repository.study(study.name)
    if store.exists and not fresh:
        known = store.plan().get("fingerprint")
        if known != study.fingerprint():
            raise ConfigError(
                f"The study {study.name} in {repository.path} was different: "
                f"{_difference(store.plan().get('config'), study.to_json())} changed since.",
                hint="Give this study another name: --name "
                f"{study.name[:20]}-2\n"
                "or delete the earlier runs: --fresh",
            )
    return runs


def _difference(known: object, now: Mapping[str, Any]) -> str:
    """Name the first things that differ between two configurations."""
    if not isinstance(known, dict):
        return "its plan"

    def text(value: object) -> str:
        return json.dumps(value, sort_keys=True)

    names = [
        key
        for key in now
        if key not in ("description", "repetitions", "left_out")
        and text(known.get(key)) != text(now[key])
    ]
    return ", ".join({"where": "the place"}.get(name, name) for name in names[:3]) or "its plan"


def check(study: Study) -> None:
    """Check that all software that the programs need is installed, before anything starts.

    Raises:
        JostleError: Some software is missing.
    """
    for program in study.programs:
        launching.check(program)


class Runner:
    """Runs a study in a place; everything that it starts is ended when it ends."""

    def __init__(
        self,
        study: Study,
        repository: Repository,
        place: StudyPlatform,
        report: Callable[[StudyProgress], None] = lambda _: None,
    ) -> None:
        """Prepare a runner.

        Args:
            study: The study to run.
            repository: Repository that stores the study.
            place: Place of the study, which `run` opens and closes.
            report: Function that is called when a run begins, during the run, and after it has
                ended.
        """
        self.study = study
        self.repository = repository
        self.place = place
        self.store: StudyStore = repository.study(study.name)
        self._report = report
        self._outcome = RunOutcome()
        self._jobs: set[str] = set()
        self._versions: dict[str, Any] = {}

    def run(self, runs: tuple[PlannedRun, ...]) -> RunOutcome:
        """Execute the runs whose records are not yet stored.

        Raises:
            JostleError: The place cannot be opened, or the repository cannot be written; finished
                runs are kept.
            KeyboardInterrupt: Raised again after all programs were stopped; the interrupted run is
                repeated later.
        """
        with self.store.lock():
            self._clean_up_after_a_crash()
            done = {record["run"]: record for record in self.store.read_runs()}
            left = [run for run in runs if run.id not in done]
            self._count(runs, done)
            if not left:
                return self._outcome
            estimate = PlannedTime(self.study, runs)
            for record in done.values():
                estimate.learn(record["run"], _seconds(record))
            self._say(None, estimate.left(run.id for run in left), "preparing the place")
            with self._open_place(runs):
                self._jobs = set(self.repository.query("SELECT job FROM jobs")["job"].to_pylist())
                while left:
                    record = self._one(left[0], estimate.left(run.id for run in left))
                    estimate.learn(left[0].id, _seconds(record))
                    done[record["run"]] = record
                    self._outcome.made += 1
                    self._count(runs, done)
                    run = left.pop(0)
                    self._say(run, estimate.left(one.id for one in left), record=record)
                    time.sleep(self.study.where.settle_s if left else 0)
        self._outcome.warnings += self.place.said
        return self._outcome

    def _count(self, runs: tuple[PlannedRun, ...], done: Mapping[str, Mapping[str, Any]]) -> None:
        held = [done[run.id] for run in runs if run.id in done]
        self._outcome.total, self._outcome.done = len(runs), len(held)
        self._outcome.failed = sum(any(one["error"] for one in r["programs"]) for r in held)

    def _say(
        self,
        run: PlannedRun | None,
        left_s: float,
        said: str = "",
        record: Mapping[str, Any] | None = None,
    ) -> None:
        outcome = self._outcome
        self._report(StudyProgress(outcome.done, outcome.total, run, record, left_s, said))

    # The place

    @contextlib.contextmanager
    def _open_place(self, runs: tuple[PlannedRun, ...]) -> Iterator[None]:
        try:
            self.place.open()
            if (fabric := self.place.fabric()) is not None:
                from jostle.topology.store import FOLDER, save

                save(self.repository.path / FOLDER, fabric)
            self._note(None, "")
            self._enough_nodes(runs)
            self._versions = versions(self.study, self.place)
            self.store.begin(self.study.text, self._plan(runs))
            yield
        finally:
            self.place.close()
            self.store.note_running(None)

    def _enough_nodes(self, runs: tuple[PlannedRun, ...]) -> None:
        if self.place.name == "local":
            return  # one node, whatever the study says
        count = max if self.study.where.placement == "shared" else sum
        need = max(
            count(
                [member.program.nodes or 1 for member in run.members if not member.program.at]
                or [1]
            )
            for run in runs
        )
        need = max(
            [
                need,
                *(number for run in runs for member in run.members for number in member.program.at),
            ]
        )
        if need > len(self.place.nodes):
            raise StudyError(
                f"Each run needs {need} nodes, but the {self.place.name} has "
                f"{len(self.place.nodes)}.",
                hint=f"Set nodes = {need} in [{self.place.name}], or fewer per program.",
            )

    def _plan(self, runs: tuple[PlannedRun, ...]) -> dict[str, Any]:
        return {
            "version": RECORD_VERSION,
            "name": self.study.name,
            "fingerprint": self.study.fingerprint(),
            "config": self.study.to_json(),
            "place": self.place.facts(),
            "versions": self._versions,
            "planned_ns": time.time_ns(),
            "runs": [run.to_json() for run in runs],
        }

    def _clean_up_after_a_crash(self) -> None:
        """End and remove what an earlier runner left when it was killed."""
        noted = self.store.running()
        if noted is None:
            return
        if isinstance(mark := noted.get("mark"), str):
            sweep(mark, 1.0)
        for path in noted.get("folders") or []:
            # Only paths of our own form are removed, whatever is in the file.
            if isinstance(path, str) and Path(path).name.lstrip(".").startswith("jostle-"):
                shutil.rmtree(path, ignore_errors=True)
        if isinstance(facts := noted.get("place"), dict):
            self.place.fix(facts)
        self.store.note_running(None)

    def _note(self, run: PlannedRun | None, mark: str) -> None:
        """Store what a later runner must end and remove if this one is killed."""
        folders = [*self.place.roots(), self.place.scratch("run").parent]
        self.store.note_running(
            {
                "run": run.id if run else None,
                "mark": mark,
                "folders": [str(folder) for folder in folders],
                "place": self.place.facts(),
            }
        )

    # One run

    def _one(self, run: PlannedRun, left_s: float) -> dict[str, Any]:
        """Execute one run, and store its record."""
        mark = f"{self.study.name}.{run.id}.{os.getpid()}"
        self._note(run, mark)
        self._say(run, left_s)
        execution = Execution(self.study, self.place, self.repository, run, mark, self._jobs)
        try:
            record = execution.make(lambda: self._say(run, left_s))
            if any(one["error"] for one in record["programs"]) and (why := self.place.gone()):
                raise StudyError(
                    f"The study cannot continue: {why}. Run {run.id} does not count.",
                    hint="The same command continues the study once the place is available again.",
                )
            record["versions"] = self._versions
            self.store.append_run(record)
        finally:
            if not self.place.sweep(mark):
                self._outcome.warnings.append(f"processes of run {run.id} could not be ended")
            self.place.clear(run.id)
        return record


def _seconds(record: Mapping[str, Any]) -> float:
    """Return the time that a run took, with its preparation and ingest."""
    begin, end = record.get("prepared_ns"), record.get("stored_ns")
    if not (isinstance(begin, int) and isinstance(end, int)):
        return 1.0
    return max(0.1, (end - begin) / 1e9)


def make_place(study: Study) -> StudyPlatform:
    """Return the place of a study."""
    if study.where.place == "lab":
        from jostle_lab.study.places.lab import LabPlace

        return LabPlace(study)
    if study.where.place == "slurm":
        from jostle_lab.study.places.slurm import SlurmPlace

        return SlurmPlace(study)
    return Local(study)
