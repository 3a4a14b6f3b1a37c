"""Runs the lab experiments, several labs at a time, and records them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec, up
from jostle_lab.signals import read_log
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.jobs import profiled_words, signal_words, wait
from jostle_lab.validation.lab.plan import (
    PROBES,
    RATE,
    SCHEDULE_S,
    SLICE_NS,
    LabNeighbour,
    LabScene,
    from_json,
)
from jostle_lab.validation.lab.work import Work, work_of

_LIMIT_S = 90.0
_LEAD_S = 1.2
#: Time before its burst at which a neighbour is started; longer where ranks are on several nodes.
_MPI_LEAD_S, _BURST_LEAD_S, _MPI_BURST_LEAD_S = 3.0, 0.25, 2.0
#: Each node of a lab has its own.
_MEMORY = Path("/dev/shm")
#: The MPI whose waiting ranks leave their core to others.
_MPI = "openmpi"


@dataclass(frozen=True)
class Played(Work):
    """The record of an experiment that was made.

    Attributes:
        scene: Plan of the experiment.
        repository: Folder of the repository that has the experiment's profiles.
        error: Reason why the experiment cannot be used; "" when it can.
    """

    scene: LabScene = field(kw_only=True)
    repository: str = field(kw_only=True)
    error: str = field(kw_only=True, default="")

    def job(self, neighbour: str) -> str:
        """Name of a neighbour's job."""
        return f"{self.scene.job}-{neighbour}"

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return {**self.__dict__, "scene": self.scene.to_json()}


def _failed(scene: LabScene, repository: Path, error: str) -> Played:
    return Played(0, 0, [], {}, scene=scene, repository=str(repository), error=error)


def played(folder: Path) -> list[Played]:
    """Return the records of experiments that succeeded, except for a line that a crash cut off."""
    try:
        lines = (folder / "scenes.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            plain = json.loads(line)
            found.append(Played(**{**plain, "scene": from_json(plain["scene"])}))
    return [one for one in found if not one.error]


def play(
    folder: Path,
    plan: Sequence[LabScene],
    *,
    labs: int,
    name: str,
    progress: Callable[[int, int, str, float], None],
) -> None:
    """Run the experiments of a plan that are not yet done.

    Args:
        folder: Folder for the results.
        plan: Experiments to run.
        labs: Number of labs that run at the same time.
        name: Name of the labs; they are numbered.
        progress: Function that shows the progress, as for runner.make.

    Raises:
        JostleError: No lab is available here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = {one.scene.job for one in played(folder)}
    todo = [scene for scene in plan if scene.job not in done]
    state = _State(folder, len(plan), len(plan) - len(todo), labs, progress)
    for apart in (False, True):
        some = [scene for scene in todo if PROBES[scene.probe].apart is apart]
        _play(state, some, 1 if apart else labs, f"{name}{'x' * apart}")


def _play(state: _State, todo: Sequence[LabScene], labs: int, name: str) -> None:
    """Run experiments, several labs at a time; an error in one ends all."""
    left: queue.SimpleQueue[LabScene] = queue.SimpleQueue()
    for scene in todo:
        left.put(scene)
    threads = [
        threading.Thread(target=_worker, args=(state, left, f"{name}{number}"))
        for number in range(1, min(labs, len(todo)) + 1)
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        state.over.set()
        for thread in threads:
            thread.join()
        raise
    if state.trouble:
        raise state.trouble[0]


class _State:
    """The state that the labs share."""

    def __init__(
        self,
        folder: Path,
        total: int,
        done: int,
        labs: int,
        progress: Callable[[int, int, str, float], None],
    ) -> None:
        self.folder, self.total, self.done = folder, total, done
        self.labs, self.progress = labs, progress
        self.lock, self.over = threading.Lock(), threading.Event()
        self.trouble: list[Exception] = []

    def begin(self, scene: LabScene) -> None:
        with self.lock:
            left = (self.total - self.done) * 25.0 / self.labs
            self.progress(self.done, self.total, scene.job, left)

    def end(self, one: Played) -> None:
        with self.lock, (self.folder / "scenes.jsonl").open("a") as stream:
            # A line of its own, after one that a crash may have cut off.
            stream.write("\n" + json.dumps(one.to_json()) + "\n")
            self.done += 1


def _worker(state: _State, left: queue.SimpleQueue[LabScene], name: str) -> None:
    try:
        lab = up(LabSpec(name=name, nodes=4, storage_rate=RATE))
    except Exception as error:  # an exception in a thread would not be reported
        state.trouble.append(error)
        state.over.set()
        return
    try:
        repository = state.folder / name
        while not state.over.is_set():
            try:
                scene = left.get_nowait()
            except queue.Empty:
                return
            state.begin(scene)
            state.end(_one(lab, scene, repository, state.over))
    except Exception as error:  # whatever it is, the other threads must know of it
        state.trouble.append(error)
        state.over.set()
    finally:
        with contextlib.suppress(JostleError):
            lab.down()


def _one(lab: Lab, scene: LabScene, repository: Path, over: threading.Event) -> Played:
    """Make one experiment and ingest its profiles."""
    if PROBES[scene.probe].partner and shutil.which(f"mpirun.{_MPI}") is None:
        return _failed(scene, repository, f"mpirun.{_MPI} is not installed")
    for node in lab.nodes:
        for part in ("spool", "log"):
            shutil.rmtree(lab.local(node) / part, ignore_errors=True)
            (lab.local(node) / part).mkdir(mode=0o700, parents=True)
    lead_s = _MPI_LEAD_S if PROBES[scene.probe].partner else _LEAD_S
    start_ns = (time.time_ns() + int(lead_s * 1e9)) // SLICE_NS * SLICE_NS
    ended = threading.Event()
    probe = _probe(lab, scene, start_ns)
    try:
        with ThreadPoolExecutor(max(len(scene.neighbours), 1)) as pool:
            try:
                alongside = [
                    pool.submit(_neighbour, lab, scene, lab_neighbour, start_ns, ended)
                    for lab_neighbour in scene.neighbours
                ]
                status = wait(probe, over, _LIMIT_S)
            finally:
                ended.set()
    finally:
        probe.kill()
        probe.wait()
    for one in alongside:
        one.result()  # a neighbour that failed was not the requested load
    return _taken(lab, scene, repository, status)


def _taken(lab: Lab, scene: LabScene, repository: Path, status: int) -> Played:
    spools = [lab.local(node) / "spool" for node in lab.nodes]
    Repository(repository, create=True).ingest(spools, remove=True)
    log = read_log([lab.local(node) / "log" for node in lab.nodes])
    others = {one.name: f"{scene.job}-{one.name}" for one in scene.neighbours}
    work = work_of(log, scene.job, others)
    if status or work is None:
        return _failed(scene, repository, f"the probe ended with status {status}")
    return Played(**work.__dict__, scene=scene, repository=str(repository))


def _probe(lab: Lab, scene: LabScene, start_ns: int) -> subprocess.Popen[bytes]:
    """Start the probe; if it has several rounds, a shell runs one after the other."""
    probe = PROBES[scene.probe]
    folder = _MEMORY if probe.memory else lab.here if probe.apart else lab.shared
    first = _words(lab, scene.job, probe.words, folder, start_ns, mpi=bool(probe.partner))
    if probe.rounds == 1:
        return _profiled(lab, ("node1", probe.partner), scene.job, _bound(first, probe.core))
    # The later rounds were due long ago: each begins at once.
    later = shlex.join(_words(lab, scene.job, probe.words, folder, 10**9))
    script = (
        f"{shlex.join(first)} || exit; for round in $(seq {probe.rounds - 1}); do "
        f"sleep {probe.rest_s:g}; {later} || exit; done"
    )
    return _profiled(lab, ("node1", ""), scene.job, ["sh", "-c", script])


def _words(
    lab: Lab, job: str, words: Sequence[str], folder: Path, start_ns: int, *, mpi: bool = False
) -> list[str]:
    return signal_words(
        words,
        job=job,
        folder=folder,
        log=lab.here / "log",
        start_ns=start_ns,
        slice_ns=SLICE_NS,
        mpi=_MPI if mpi else None,
    )


def _bound(words: list[str], core: int) -> list[str]:
    """Bind a command to a core, as otherwise chance would decide which jobs share a core."""
    return words if core < 0 else ["taskset", "-c", str(core), *words]


def _profiled(
    lab: Lab, nodes: tuple[str, str], job: str, words: Sequence[str]
) -> subprocess.Popen[bytes]:
    """Start a profiled job on one node, or an MPI job with a rank on each of two nodes."""
    argv = profiled_words(words, job=job, spool=lab.here / "spool", slice_ns=SLICE_NS)
    env = {"JOSTLE": "on"}
    node, partner = nodes
    command = (
        lab.mpirun(_MPI, [(node, 1), (partner, 1)], argv, env, "/")
        if partner
        else lab.command(node, argv, env, "/")
    )
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _neighbour(
    lab: Lab, scene: LabScene, lab_neighbour: LabNeighbour, start_ns: int, ended: threading.Event
) -> None:
    """Run a neighbour in bursts, each with a new process, so that no core is used in between."""
    folder = lab.shared if lab_neighbour.place == "shared" else lab.here
    lead_s = _MPI_BURST_LEAD_S if lab_neighbour.partner else _BURST_LEAD_S
    for begin, length in lab_neighbour.bursts:
        at_ns = start_ns + int(begin * 1e9)
        if ended.wait(max((at_ns - time.time_ns()) / 1e9 - lead_s, 0)) or begin > SCHEDULE_S:
            return
        job, words = (
            f"{scene.job}-{lab_neighbour.name}",
            [*lab_neighbour.words, "--time", f"{length:.3f}"],
        )
        words = _words(lab, job, words, folder, at_ns, mpi=bool(lab_neighbour.partner))
        process = _profiled(
            lab, (lab_neighbour.node, lab_neighbour.partner), job, _bound(words, lab_neighbour.core)
        )
        try:
            process.wait(length + 15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def name_of(folder: Path) -> str:
    """Return a name for a validation's labs that no other running validation uses.

    Raises:
        ValidationError: The folder has no name.
    """
    if not folder.name:
        raise ValidationError(f"{folder} has no name.", hint="Give a folder below it with --dir.")
    return f"val{os.getpid()}-"
