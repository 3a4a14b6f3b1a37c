"""The interface of places, the environments where a study runs; and this machine as a place.

A place turns a Launch (a program that is about to start) into commands on this machine. It also
provides folders on the file system under study, node-local folders for profiles and logs, counters
of shared resources, and the facts about itself that are recorded with each run.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from jostle.files.mounts import mount_points
from jostle_lab.study.errors import StudyError
from jostle_lab.study.launch import (
    Command,
    Launch,
    environment,
    mpirun_words,
    placement,
    prepare,
    words,
)
from jostle_lab.study.model import Study
from jostle_lab.study.monitor import DiskMonitor, Monitor
from jostle_lab.study.processes import kill, marked, sweep

if TYPE_CHECKING:
    from jostle.topology import Topology

Processes = Sequence[subprocess.Popen[bytes]]


class StudyPlatform(Protocol):
    """Where programs run.

    Attributes:
        name: Type of the place: "local", "lab" or "slurm".
        nodes: Names of the nodes; known once the place is open.
        said: Warnings of the place, one sentence for each.
    """

    name: str
    nodes: tuple[str, ...]
    said: list[str]

    def open(self) -> None:
        """Open the place: start a lab, or get nodes.

        Raises:
            JostleError: The place is not available; the message gives the reason and alternatives.
        """

    def close(self) -> None:
        """Remove everything that `open` started; may be called at any time, and repeatedly."""

    def fabric(self) -> Topology | None:
        """Return the network topology of the nodes; None if it is unknown."""

    def gone(self) -> str:
        """Return the reason why the place no longer exists; "" while it exists."""

    def folder(self, run: str, store: str = "") -> Path:
        """Return the path of a run's folder on the file system under study, the same on all nodes.

        Args:
            run: The run.
            store: Folder of that file system for the run's folder; "": the default folder.
        """

    def roots(self) -> list[Path]:
        """Return the study's folders on the file system under study, one in each store."""

    def scratch(self, run: str) -> Path:
        """Return the path of a run's folder for profiles and logs; each node has its own folder."""

    def prepare(self, launch: Launch) -> None:
        """Create a program's folder and files, and run its preparation command.

        Raises:
            JostleError: One of these steps fails.
        """

    def clear(self, run: str) -> None:
        """Remove both folders of a run."""

    def fix(self, facts: Mapping[str, object]) -> None:
        """Remove what a killed study left on its nodes, by the facts that it had recorded."""

    def lead_s(self, launches: Sequence[Launch]) -> float:
        """Return the time before its first operation at which a run must be started, in seconds."""

    def commands(self, launch: Launch) -> list[Command]:
        """Return the commands that start a program from this machine.

        Raises:
            JostleError: A part that the program needs is missing.
        """

    def stop(self, launch: Launch, processes: Processes) -> None:
        """Ask a program to end gracefully."""

    def sweep(self, mark: str) -> bool:
        """Stop all processes of a run; return whether none is left."""

    def gather(self, run: str, nodes: Sequence[str]) -> Path:
        """Return a folder on this machine with the scratch data of all nodes of a run.

        Profiles are in folders in it whose names begin with `spool`, logs directly in it.
        """

    def monitor(self) -> Monitor | None:
        """Return the monitor of the shared resource; None if there is none."""

    def facts(self) -> dict[str, object]:
        """Return the facts about the place that are recorded with each run."""


class Base:
    """The common base class of places, with the functions that need neither a lab nor Slurm."""

    name = ""
    nodes: tuple[str, ...] = ()

    def __init__(self, study: Study) -> None:
        """Prepare a place; nothing is created yet."""
        self.study = study
        self.stores = stores_of(study)
        self.said: list[str] = []
        self._scratch: Path | None = None

    def open(self) -> None:
        """Create the folder for profiles and logs."""
        parent = os.environ.get("TMPDIR") or "/tmp"
        try:
            # The runtime takes no spool that others could write to.
            self._scratch = Path(tempfile.mkdtemp(prefix=f"jostle-{self.study.name}-", dir=parent))
        except OSError as error:
            raise StudyError(
                f"No folder for profiles can be created in {parent}: {error.strerror}.",
                hint="Set TMPDIR to a local folder with free space.",
            ) from error

    def close(self) -> None:
        """Remove the folder for profiles and logs."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def fabric(self) -> Topology | None:
        """Return None, since the fabric is not known."""
        return None

    def gone(self) -> str:
        """Return "", since the machine does not disappear during a run."""
        return ""

    def folder(self, run: str, store: str = "") -> Path:
        """Return the path of a run's folder on the file system under study."""
        return self.root(store) / run

    def roots(self) -> list[Path]:
        """Return the paths of the study's folders on the file system under study."""
        return [self.root(store) for store in self.stores]

    def root(self, store: str = "") -> Path:
        """Return the study's folder on the file system under study, or in a folder of it."""
        raise NotImplementedError

    def scratch(self, run: str) -> Path:
        """Return the path of a run's folder for profiles and logs."""
        assert self._scratch is not None, "the place is not open"
        return self._scratch / run

    def prepare(self, launch: Launch) -> None:
        """Create a program's folder and files from this machine."""
        self.make_scratch(launch)
        prepare(launch)

    def clear(self, run: str) -> None:
        """Remove both folders of a run."""
        self.clear_scratch(run)
        for root in self.roots():
            shutil.rmtree(root / run, ignore_errors=True)

    def clear_scratch(self, run: str) -> None:
        """Remove a run's folder for profiles and logs."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch / run, ignore_errors=True)

    def fix(self, facts: Mapping[str, object]) -> None:
        """Do nothing: a killed study leaves only folders, and the study's runner removes these."""

    def gather(self, run: str, nodes: Sequence[str]) -> Path:
        """Return the scratch folder, which all nodes share."""
        return self.scratch(run)

    def make_scratch(self, launch: Launch) -> None:
        """Create the folders for profiles and logs."""
        for folder in (launch.spool, launch.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def sweep(self, mark: str) -> bool:
        """Stop all processes on this machine that have the run's mark."""
        return sweep(mark, 3.0)

    def stop(self, launch: Launch, processes: Processes) -> None:
        """Send SIGTERM to the ranks: an mpirun that gets it would kill them within a second."""
        found = marked(launch.mark, launch.job)
        kill(found or [process.pid for process in processes], signal.SIGTERM)

    def monitor(self) -> Monitor | None:
        """Return None, since there are no counters."""
        return None

    def facts(self) -> dict[str, object]:
        """Return the place's name and the names of its nodes."""
        return {"place": self.name, "nodes": list(self.nodes)}


class Local(Base):
    """This machine as the place of a study."""

    name = "local"

    def __init__(self, study: Study) -> None:
        """Prepare the place."""
        super().__init__(study)
        self.nodes = (socket.gethostname(),)
        self._dir = Path(study.where.dir or ".").expanduser().absolute()

    def open(self) -> None:
        """Create the folders of the study."""
        super().open()
        try:
            make_roots(self.roots())
        except StudyError:
            self.close()
            raise

    def close(self) -> None:
        """Remove the folders of the study."""
        super().close()
        for root in self.roots():
            shutil.rmtree(root, ignore_errors=True)

    def root(self, store: str = "") -> Path:
        """Return a hidden folder in the working directory of the study, or in [where] dir."""
        return self._dir / store / f".jostle-{self.study.name}"

    def lead_s(self, launches: Sequence[Launch]) -> float:
        """Return the lead time of a run: half a second, or more for mpirun."""
        return 1.5 if any(launch.program.mpi != "none" for launch in launches) else 0.5

    def commands(self, launch: Launch) -> list[Command]:
        """Return one command, which starts the program or its mpirun."""
        program, env = launch.program, environment(launch)
        mpi, processes = program.mpi or "none", program.processes or 1
        if mpi == "none":
            own = words(launch, processes if program.pattern else None)
        else:
            own = [*mpirun_words(mpi, processes), *words(launch)]
        return [Command(own, env, launch.folder)]

    def monitor(self) -> Monitor | None:
        """Return the monitor of the disk that holds the folder; None if there is no disk."""
        try:
            return DiskMonitor(self.root())
        except OSError:
            return None

    def facts(self) -> dict[str, object]:
        """Return the facts of `Base`, the folder and the folder's file system."""
        return {**super().facts(), "dir": str(self.root()), "fs": file_system(self.root())}


def stores_of(study: Study) -> tuple[str, ...]:
    """Return the folders of the file system under study that programs use; "" is its root."""
    named = [value for key, values in study.axes if key == "store" for value in values]
    single = [one for value in named for one in (value if isinstance(value, tuple) else (value,))]
    own = [program.store or "" for program in study.programs]
    return tuple(dict.fromkeys(["", *single, *own]))


def make_roots(roots: Sequence[Path]) -> None:
    """Create the folders of a study.

    Raises:
        StudyError: A folder cannot be created.
    """
    for root in roots:
        try:
            # No parents: a misspelt folder would be made, on another file system.
            root.mkdir(exist_ok=True)
        except OSError as error:
            raise StudyError(
                f"{root} cannot be created: {error.strerror}.",
                hint="Give a folder on the file system under study, by --dir or by dir in "
                "[where]. Each store is a folder in it.",
            ) from error


def file_system(path: Path) -> str:
    """Return the type of the file system that holds a path; "" if /proc does not show it."""
    best, kind = -1, ""
    try:
        mounts = mount_points()
        real = str(path.resolve())
    except OSError:
        return ""
    for mount in mounts:
        inside = real == mount.path or real.startswith(mount.path.rstrip("/") + "/")
        if inside and len(mount.path) >= best:
            best, kind = len(mount.path), mount.kind
    return kind


def one_per_node(launch: Launch) -> Mapping[str, int]:
    """Return the number of processes on each node, for a program without MPI."""
    if launch.program.pattern is None:
        return {launch.nodes[0]: 1}
    return dict(placement(launch))
