"""Runs a study on nodes of Slurm: one allocation, and one step for each program."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from jostle_lab.study.config import check_where
from jostle_lab.study.errors import StudyError
from jostle_lab.study.launch import Command, Launch, environment, placement, version_of, words
from jostle_lab.study.model import Study
from jostle_lab.study.places.place import Base, Processes, file_system, make_roots, one_per_node

_NEEDS = ("salloc", "srun", "scancel", "squeue", "scontrol")
#: States of an allocation that has its nodes, or gets them.
_LIVE = ("RUNNING", "SUSPENDED", "CONFIGURING", "RESIZING", "STOPPED", "SIGNALING")
_PATIENCE_S = 30
#: Makes the node's own folders before it becomes the program.
_IN_FOLDERS = 'umask 077; mkdir -p "$1" "$2" || exit 1; shift 2; exec "$@"'
#: Nodes may share the folder, as those of a lab do: then one of them copies all of it.
_COLLECT = (
    'mine="$1.$(hostname)"; mv "$1" "$mine" 2>/dev/null || exit 0; '
    'mkdir -p "$2" && cp -r "$mine" "$2/$(hostname)" && rm -rf "$mine"'
)


class SlurmPlace(Base):
    """The allocation in which the study was started, or a new one."""

    name = "slurm"

    def __init__(self, study: Study) -> None:
        """Prepare the place; nodes are requested when it is opened."""
        super().__init__(study)
        self._id = ""
        self._owned = False
        self._dir = Path(study.where.dir).expanduser().absolute()

    def open(self) -> None:
        """Allocate the nodes.

        Raises:
            StudyError: There is no Slurm here, no folder is named, or no nodes are available.
        """
        missing = [name for name in _NEEDS if shutil.which(name) is None]
        if missing:
            raise StudyError(
                f"There is no Slurm here: {missing[0]} is not on PATH.",
                hint="Run the study where srun works, or on this machine with --place local or "
                "--place lab.",
            )
        check_where(self.study)
        super().open()
        try:
            make_roots(self.roots())
            self._id = os.environ.get("SLURM_JOB_ID", "")
            if not self._id:
                self._allocate()
            self.nodes = self._hostnames()
        except BaseException:
            self.close()
            raise

    def _allocate(self) -> None:
        """Request an allocation and wait for it."""
        table = self.study.slurm
        nodes, tasks = self._most()
        asked = [
            "salloc",
            "--no-shell",
            f"--nodes={table.nodes or nodes}",
            f"--ntasks-per-node={tasks}",
            f"--job-name=jostle-{self.study.name}",
            *table.options,
        ]
        for key in ("partition", "account", "qos", "constraint", "reservation", "time"):
            if value := getattr(table, key):
                asked.append(f"--{key}={value}")
        said: list[str] = []
        with subprocess.Popen(
            asked,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line.strip())
                # Its number is known from the first output on: an interrupt must not leave it
                # behind.
                if match := re.search(r"job allocation (\d+)", line):
                    self._id, self._owned = match[1], True
        if process.returncode or not self._id:
            raise StudyError(
                f"Slurm allocates no nodes: {' '.join(said[-2:]) or 'salloc failed'}",
                hint="Set partition, account, time or options in [slurm], or run the study "
                "inside an allocation.",
            )

    def _most(self) -> tuple[int, int]:
        """Return the number of nodes that the largest run needs, and of tasks on one node."""
        from jostle_lab.study.plan import plan

        count = max if self.study.where.placement == "shared" else sum
        pile = sum if self.study.where.placement == "shared" else max
        nodes = tasks = 1
        for run in plan(self.study):
            programs = [member.program for member in run.members]
            nodes = max(nodes, count([program.nodes or 1 for program in programs]))
            each = [-(-(program.processes or 1) // (program.nodes or 1)) for program in programs]
            tasks = max(tasks, pile(each))
        return nodes, tasks

    def _hostnames(self) -> tuple[str, ...]:
        listed = _said("squeue", "--noheader", f"--jobs={self._id}", "--format=%N")
        return tuple(_said("scontrol", "show", "hostnames", listed.strip()).split())

    def close(self) -> None:
        """Release the nodes, if they were allocated for the study; remove its folders."""
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            if self._id and self.nodes:
                step = self._srun(self.nodes, len(self.nodes), "clear")
                place = str(self.scratch("run").parent)
                subprocess.run(
                    [*step, "--mpi=none", "rm", "-rf", place],
                    timeout=60,
                    check=False,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                )
        if self._id and self._owned:
            self._give_back()
        self._id, self._owned = "", False
        for root in self.roots():
            shutil.rmtree(root, ignore_errors=True)
        super().close()

    def _give_back(self) -> None:
        """Cancel the allocation; retry until Slurm confirms, as a busy controller may refuse.

        Do not wait until the nodes are free, since an epilog may take long.
        """
        end = time.monotonic() + _PATIENCE_S
        while True:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(["scancel", self._id], timeout=60, check=False, capture_output=True)
            if self.gone():
                return
            if time.monotonic() > end:
                self.said.append(f"Slurm does not end the allocation: scancel {self._id}")
                return
            time.sleep(1)

    def gone(self) -> str:
        """Return why the allocation ended, such as its time limit; "" if it has not ended."""
        try:
            state = _said("squeue", "--noheader", f"--jobs={self._id}", "--format=%T").strip()
        except (OSError, subprocess.SubprocessError):
            return ""  # nothing is known then
        except StudyError as error:
            state = ""
            if "Invalid job id" not in str(error):  # of jobs that ended a while ago
                return ""
        return "" if state in _LIVE else f"the allocation {self._id} has ended"

    def root(self, store: str = "") -> Path:
        """Return a hidden folder in [where] dir."""
        return self._dir / store / f".jostle-{self.study.name}"

    def scratch(self, run: str) -> Path:
        """Return the path of a run's folder for profiles and logs on a local disk of each node."""
        return Path(self.study.slurm.spool) / f"jostle-{self.study.name}-{self._id}" / run

    def make_scratch(self, launch: Launch) -> None:
        """Do nothing, since each node creates its own folder when the program starts there."""

    def clear_scratch(self, run: str) -> None:
        """Remove this machine's folder; those of nodes are removed when they are gathered."""
        super().clear_scratch(run)
        shutil.rmtree(self.scratch(run), ignore_errors=True)

    def lead_s(self, launches: Sequence[Launch]) -> float:
        """Return the time that a step may take to start, which grows with its number of nodes."""
        nodes = max(len(launch.nodes) for launch in launches)
        mpi = any(launch.program.mpi not in (None, "none") for launch in launches)
        return 2.0 + 2.0 * mpi + 0.05 * nodes

    def _srun(self, nodes: Sequence[str], tasks: int, name: str) -> list[str]:
        per_node = -(-tasks // len(nodes))
        return [
            "srun",
            f"--jobid={self._id}",
            f"--nodes={len(nodes)}",
            f"--nodelist={','.join(nodes)}",
            f"--ntasks={tasks}",
            f"--ntasks-per-node={per_node}",
            "--overlap",
            "--cpu-bind=none",
            "--input=none",
            "--kill-on-bad-exit=0",
            f"--job-name={name}",
        ]

    def commands(self, launch: Launch) -> list[Command]:
        """Return the commands: one step; without MPI one step per number of processes on a node."""
        env, mpi = environment(launch), launch.program.mpi or "none"
        env = {key: value for key, value in env.items() if key != "SLURM_JOB_ID"}
        folders = ["sh", "-c", _IN_FOLDERS, "sh", str(launch.spool), str(launch.log)]
        at = f"--chdir={launch.folder}"
        if mpi != "none":
            nodes = [node for node, _ in placement(launch)]
            step = self._srun(nodes, launch.program.processes or 1, launch.mark)
            plugin = dict(self.study.slurm.mpi).get(mpi, "pmix")
            return [Command([*step, f"--mpi={plugin}", at, *folders, *words(launch)], env)]
        groups: dict[int, list[str]] = {}
        for node, count in one_per_node(launch).items():
            groups.setdefault(count, []).append(node)
        forks = launch.program.pattern is not None
        return [
            Command(
                [
                    *self._srun(nodes, len(nodes), launch.mark),
                    "--mpi=none",
                    at,
                    *folders,
                    *words(launch, count if forks else None),
                ],
                env,
            )
            for count, nodes in groups.items()
        ]

    def stop(self, launch: Launch, processes: Processes) -> None:
        """Send a signal that srun forwards to its tasks, since it kills them on SIGTERM."""
        number = signal.SIGTERM if launch.program.pattern is None else signal.SIGUSR1
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    def sweep(self, mark: str) -> bool:
        """Stop all processes of a run on this machine, and all its steps."""
        gone = super().sweep(mark)
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            steps = _said("squeue", "--noheader", "--steps", f"--jobs={self._id}", "--format=%i %j")
            left = [line.split()[0] for line in steps.splitlines() if line.split()[1:] == [mark]]
            if left:
                subprocess.run(
                    ["scancel", "--signal=KILL", *left],
                    timeout=60,
                    check=False,
                    capture_output=True,
                )
        return gone

    def gather(self, run: str, nodes: Sequence[str]) -> Path:
        """Copy each node's profiles and logs through the shared folder."""
        assert self._scratch is not None
        shared, path = self.root() / f"gather-{run}", self._scratch / run
        step = self._srun(nodes, len(nodes), f"gather-{run}")
        done = subprocess.run(
            [*step, "--mpi=none", "sh", "-c", _COLLECT, "sh", str(self.scratch(run)), str(shared)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
            check=False,
        )
        path.mkdir(parents=True, exist_ok=True)
        for node in sorted(shared.glob("*")):
            for part in sorted(node.iterdir()):
                # Files of short-lived processes have the same name on all nodes: spools stay
                # separate.
                name = f"spool-{node.name}" if part.name == "spool" else part.name
                shutil.copytree(part, path / name, dirs_exist_ok=True)
        shutil.rmtree(shared, ignore_errors=True)
        if done.returncode:
            self.said.append(
                "not all profiles could be gathered: "
                + done.stderr.decode(errors="replace").strip()[-200:]
            )
        return path

    def facts(self) -> dict[str, object]:
        """Return the facts of `Base`, the allocation, Slurm's version, and the file system."""
        return {
            **super().facts(),
            "dir": str(self.root()),
            "fs": file_system(self.root()),
            "job": self._id,
            "slurm": version_of(["srun", "--version"]),
        }


def _said(*argv: str) -> str:
    """Return the output of one of Slurm's commands.

    Raises:
        StudyError: The command fails.
    """
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise StudyError(
            f"{argv[0]} failed: {done.stderr.strip()[-200:]}",
            hint="Check whether Slurm is running.",
        )
    return done.stdout
