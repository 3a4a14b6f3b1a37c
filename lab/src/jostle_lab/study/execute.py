"""Executes one run of a study: prepares, starts, monitors and records its programs."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle.values.file_metrics import file_sum_sql
from jostle_lab.study.launch import Command, Launch
from jostle_lab.study.model import Study
from jostle_lab.study.monitor import Monitor, Sampler
from jostle_lab.study.places.place import StudyPlatform
from jostle_lab.study.plan import Member, PlannedRun, preparing_seconds
from jostle_lab.study.processes import Task, shorten

RECORD_VERSION = 1
_POLL_S = 0.02
#: A signal that lasts until its probe ends may outlast the probe's limit by so much.
_LONGER_S = 30.0
_WRITTEN = f"""
SELECT coalesce(sum({file_sum_sql("write_bytes")}), 0)::BIGINT AS written
FROM rollup WHERE job = ? AND mount = ?
"""


class Execution:
    """One run of a study, from its folders to its record."""

    def __init__(
        self,
        study: Study,
        place: StudyPlatform,
        repository: Repository,
        run: PlannedRun,
        mark: str,
        taken: set[str],
    ) -> None:
        """Prepare the run.

        Args:
            study: The study that the run belongs to.
            place: Open place (lab, machine or allocation) in which the programs run.
            repository: Repository that gets the profiles.
            run: The planned run.
            mark: Value of the environment variable that identifies all processes of the run.
            taken: Names of existing jobs, to which the names of this run's jobs are added.
        """
        self._study = study
        self._place = place
        self._repository = repository
        self._run = run
        self._logs = repository.study(study.name).logs(run.id)
        self._monitor: Monitor | None = None
        self._samples: list[dict[str, int]] = []
        self._prepared_ns = self._begin_ns = time.time_ns()
        self._launches = self._made_launches(mark, taken)
        self._tasks: list[Task] = []
        self._gathered = place.scratch(run.id)
        self._mount: str | None = None

    def make(self, pulse: Callable[[], None]) -> dict[str, Any]:
        """Run the programs, and record the run.

        Args:
            pulse: Function that is called several times a second during the run.

        Returns:
            The record of the run, for runs.jsonl.

        Raises:
            JostleError: The repository cannot take the profiles.
            KeyboardInterrupt: Passed on; the programs have been ended.
        """
        shutil.rmtree(self._logs, ignore_errors=True)
        self._logs.mkdir(parents=True)
        faults = [self._fault(launch) for launch in self._launches]
        self._monitor = self._place.monitor()
        start_ns = self._start_ns()
        self._launches = [dataclasses.replace(one, start_ns=start_ns) for one in self._launches]
        sampler = Sampler(self._monitor, self._study.slice_ns)
        sampler.start()
        self._begin_ns = time.time_ns()
        try:
            self._start(faults, start_ns)
            self._watch(pulse)
        except BaseException:
            for task in self._tasks:
                task.abandon()
            raise
        finally:
            self._samples = sampler.stop()
        return self._record()

    # Before

    def _made_launches(self, mark: str, taken: set[str]) -> list[Launch]:
        launches: list[Launch] = []
        for slot, member in enumerate(self._run.members):
            program = member.program
            twin = any(program.name == other.program.name for other in launches)
            name = f"{program.name}-2" if twin else program.name
            launches.append(
                Launch(
                    program=program,
                    job=self._job(name, taken),
                    mark=mark,
                    nodes=self._nodes_of(slot),
                    folder=self._place.folder(self._run.id, program.store or "") / name,
                    spool=self._place.scratch(self._run.id) / "spool",
                    log=self._place.scratch(self._run.id) / name,
                    start_ns=0,
                    slice_ns=self._study.slice_ns,
                    until_stopped=member.stop == "partner" and program.pattern is not None,
                )
            )
        return launches

    def _nodes_of(self, slot: int) -> tuple[str, ...]:
        """Return the nodes of one of the programs."""
        nodes, kind = self._place.nodes, self._study.where.placement
        if (at := self._run.members[slot].program.at) and self._place.name != "local":
            return tuple(nodes[number - 1] for number in at)
        counts = [member.program.nodes or 1 for member in self._run.members]
        if kind == "interleaved":
            order = nodes[slot::2] + nodes[1 - slot :: 2]
        elif kind == "disjoint":
            first = sum(counts[:slot]) % len(nodes)
            order = nodes[first:] + nodes[:first]
        else:
            order = nodes
        return order[: counts[slot]]

    def _job(self, program: str, taken: set[str]) -> str:
        """Return a job name that is new in the repository (interrupted runs leave jobs there)."""
        name = stem = f"{self._study.name}.{self._run.id}.{program}"
        attempt = 1
        while name in taken:
            attempt += 1
            name = f"{stem}.a{attempt}"
        taken.add(name)
        return name

    def _fault(self, launch: Launch) -> str | None:
        """Prepare a program; return the reason if that failed, else None."""
        try:
            self._place.prepare(launch)
        except JostleError as error:
            return " ".join(filter(None, (str(error), error.hint)))
        return None

    def _start_ns(self) -> int:
        """Return the slice boundary at which the first operations are due."""
        lead = self._study.where.lead_s or self._place.lead_s(self._launches)
        lead += preparing_seconds(self._study, [launch.program for launch in self._launches])
        length = self._study.slice_ns
        return (time.time_ns() + round(lead * 1e9) + length - 1) // length * length

    # While

    def _start(self, faults: Sequence[str | None], start_ns: int) -> None:
        """Start patterns at once, as they wait for the start instant; start commands at it."""
        self._tasks = [
            self._task(member, launch, fault)
            for member, launch, fault in zip(self._run.members, self._launches, faults, strict=True)
        ]
        late = []
        for task, launch in zip(self._tasks, self._launches, strict=True):
            if task.status is not None:
                continue
            if launch.program.pattern is not None:
                task.start()
            else:
                late.append(task)
        if late:
            time.sleep(max(0.0, (start_ns - time.time_ns()) / 1e9))
            for task in late:
                task.start()

    def _task(self, member: Member, launch: Launch, fault: str | None) -> Task:
        limit = launch.program.limit_s or 600.0
        if member.stop == "partner":
            limit = (self._run.members[0].program.limit_s or 600.0) + _LONGER_S
        commands: list[Command] = []
        if fault is None:
            try:
                commands = self._place.commands(launch)
            except JostleError as error:
                fault = " ".join(filter(None, (str(error), error.hint)))
        task = Task(
            job=launch.job,
            mark=launch.mark,
            commands=commands,
            words=self._logs / launch.log.name,
            stop=lambda processes: self._place.stop(launch, processes),
            limit_s=limit,
            finished=lambda: _all_ended(launch),
            repeat=member.stop == "partner" and launch.program.pattern is None,
        )
        if fault is not None:
            task.begin_ns = task.end_ns = time.time_ns()
            task.status, task.error = 127, fault
        return task

    def _watch(self, pulse: Callable[[], None]) -> None:
        """Wait until all programs have ended; stop a signal when its probe has ended."""
        probe = self._tasks[0]
        while True:
            running = [task for task in self._tasks if not task.poll()]
            if not running:
                return
            for task, member in zip(self._tasks, self._run.members, strict=True):
                if member.stop == "partner" and probe.status is not None:
                    task.ask()
            pulse()
            time.sleep(_POLL_S)

    # After

    def _record(self) -> dict[str, Any]:
        end_ns = time.time_ns()
        self._gathered = self._place.gather(self._run.id, self._nodes())
        report = self._repository.ingest(sorted(self._gathered.glob("spool*")))
        run = self._run
        self._mount = self._resource()
        programs = [
            self._program_record(member, launch, task)
            for member, launch, task in zip(run.members, self._launches, self._tasks, strict=True)
        ]
        return {
            "version": RECORD_VERSION,
            "run": run.id,
            "study": self._study.name,
            "kind": run.kind,
            "repetition": run.repetition,
            "index": run.index,
            "mode": run.mode,
            "cell": dict(run.cell),
            "cell_key": run.cell_key,
            "programs": programs,
            "begin_ns": self._begin_ns,
            "end_ns": end_ns,
            "prepared_ns": self._prepared_ns,
            "stored_ns": time.time_ns(),
            "start_ns": self._launches[0].start_ns,
            "slice_ns": self._study.slice_ns,
            "place": self._place.name,
            "resource": self._mount,
            "monitor": self._samples,
            "monitor_name": self._monitor.name if self._monitor else None,
            "server": (self._monitor.server or None) if self._monitor else None,
            "own": self._monitor.own(self._nodes()) if self._monitor else [],
            "warnings": report.warnings,
            "interrupted": False,
            "discard": None,
        }

    def _nodes(self) -> list[str]:
        return list(dict.fromkeys(node for launch in self._launches for node in launch.nodes))

    def _program_record(self, member: Member, launch: Launch, task: Task) -> dict[str, Any]:
        """Return the part of the record about a program."""
        program = launch.program
        truth = self._truth(launch)
        error = task.error or truth.get("error") or self._failure(member, task)
        lines = task.last_lines() if error else []
        for name in ("stdout", "stderr"):
            shorten(task.words / name)
        with contextlib.suppress(OSError):
            task.words.rmdir()  # nothing was printed, nothing was logged
        return {
            "name": program.name,
            "role": member.role,
            "job": launch.job,
            "config": program.baseline(),
            "baseline": program.baseline(),
            "processes": program.processes,
            "nodes": list(launch.nodes),
            "mpi": None if program.mpi == "none" else program.mpi,
            "pattern": program.pattern,
            "command": list(program.command),
            "chunk": program.chunk,
            "piece": program.piece,
            "volume": program.volume,
            "shared": bool(program.shared),
            "api": program.api,
            "flush": program.flush,
            "period_s": program.period_s,
            "phase_s": program.phase_s,
            "period_ns": round((program.period_s or 0) * 1e9),
            "duty": program.duty,
            "phase_ns": round((program.phase_s or 0) * 1e9),
            "split": bool(program.split),
            "progress": program.progress,
            "stop": member.stop,
            "until_stopped": member.stop == "partner",
            "rounds": task.rounds,
            "lingered": task.lingered,
            "status": task.status,
            "begin_ns": truth.get("begin_ns") or task.begin_ns,
            "end_ns": truth.get("end_ns") or task.end_ns,
            "bytes": truth.get("bytes"),
            "operations": truth.get("operations"),
            "written": self._written(launch.job),
            "log": f"logs/{self._run.id}/{launch.log.name}",
            "error": error,
            "stderr": lines,
        }

    def _truth(self, launch: Launch) -> dict[str, Any]:
        """Store a signal's logs, and return a summary of them."""
        logged = self._gathered / launch.log.name
        if launch.program.pattern is None or not logged.is_dir():
            return {}
        files = []
        for path in sorted(logged.glob("*.jsonl")):
            kept = self._logs / launch.log.name / path.name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, kept)
            files.append(kept)
        if not files:
            return {}
        from jostle_lab.signals import read_log

        try:
            log = read_log(files)
        except JostleError as error:
            return {"error": f"its log cannot be read: {error}"}
        return _summary(log)

    def _failure(self, member: Member, task: Task) -> str | None:
        """Return the reason why a program failed; None if it succeeded."""
        if task.status == 0 or task.lingered:
            return None
        stopped = member.stop == "partner" or task.error is not None
        # A command may end with any status when asked to end; a pattern only before it began.
        if stopped and task.status in ((143, 130, 1) if member.program.pattern is None else (143,)):
            return None
        last = task.last_lines()[-1:]
        how = f"ended with status {task.status}"
        if task.status is not None and task.status > 128:
            how = f"killed by signal {task.status - 128}"
        return f"{how}: {last[0]}" if last else how

    def _written(self, job: str) -> int | None:
        """Return the bytes that the profiles record as written to the file system under study."""
        if self._mount is None:
            return None
        found = self._repository.query(_WRITTEN, [job, self._mount])["written"].to_pylist()
        return int(found[0])

    def _resource(self) -> str | None:
        """Return the identity of the mount that holds the run's folders."""
        best: tuple[int, str] | None = None
        for launch in self._launches:
            for row in self._repository.job_mounts(launch.job).to_pylist():
                path = Path(row["path"] or "/")
                if launch.folder.is_relative_to(path) and (not best or len(path.parts) > best[0]):
                    best = (len(path.parts), str(row["mount"]))
        return best[1] if best else None


def _all_ended(launch: Launch) -> bool:
    """Return whether all local logs of a signal's processes are complete."""
    if launch.program.pattern is None or not launch.log.is_dir():
        return False
    logs = list(launch.log.glob("*.jsonl"))
    if len(logs) < (launch.program.processes or 1):
        return False
    for path in logs:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - 2048))
            if b'"type":"end"' not in stream.read().replace(b" ", b""):
                return False
    return True


def _summary(log: Any) -> dict[str, Any]:
    """Return the begin, end, bytes, operations and error of a signal's logs."""
    processes, bursts = log.processes.to_pylist(), log.bursts.to_pylist()
    begins = [row["begin_ns"] for row in bursts if row.get("begin_ns")]
    ends = [row["end_ns"] for row in processes if row.get("end_ns")]
    errors = [row["error"] for row in processes if row.get("error")]
    incomplete = sum(row.get("end_ns") is None for row in processes)
    if incomplete and not errors:
        errors = [f"{incomplete} of {len(processes)} processes were killed"]
    found: dict[str, Any] = {
        "begin_ns": min(begins, default=None),
        "end_ns": max(ends, default=None),
        "error": errors[0] if errors else None,
    }
    for key in ("bytes", "operations"):
        found[key] = sum(row.get(key) or 0 for row in processes)
    return found
