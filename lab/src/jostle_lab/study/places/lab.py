"""Runs a study in a lab: nodes in namespaces, and a shared file system behind a limited link."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.errors import JostleError
from jostle_lab.cluster import Lab, LabError, LabSpec, attach, up
from jostle_lab.study.errors import StudyError
from jostle_lab.study.launch import Command, Launch, environment, fill, placement, stage, words
from jostle_lab.study.model import Study
from jostle_lab.study.monitor import Monitor
from jostle_lab.study.places.place import Base, one_per_node

if TYPE_CHECKING:
    from jostle.topology import Topology

#: Fields that must be as in the study when a lab is up already; it may have more nodes.
_SHAPE = (
    "storage_rate",
    "object_servers",
    "device_rate",
    "uplink_rate",
    "queue",
    "fs",
    "store",
    "topology",
    "storage_at",
)


class LabMonitor:
    """The lab's own link and disk counters, without the headers of packets."""

    name = "lab"
    server = "servers.in"

    def __init__(self, lab: Lab) -> None:
        """Prepare to read the counters of a lab."""
        self._lab = lab

    def read(self) -> Mapping[str, int]:
        """Return bytes by link and direction, sent to all servers, and written to disk.

        Raises:
            OSError: The lab no longer runs.
        """
        try:
            counts = self._lab.counters(payload=True)
        except LabError as error:
            raise OSError(str(error)) from error
        spec = self._lab.spec
        return counts | {self.server: from_nodes(counts, spec.server_names, self._lab.nodes)}

    def own(self, nodes: Sequence[str]) -> list[str]:
        """Return the names of the counters of bytes that the nodes sent to the storage."""
        return [f"{node}.out" for node in nodes]


def from_nodes(counts: Mapping[str, int], servers: Sequence[str], nodes: Sequence[str]) -> int:
    """Return the bytes that servers received from nodes.

    Servers of a file system also send data to each other: a metadata server writes its journal to
    object servers. These are the bytes that servers sent and no node received.

    Args:
        counts: Bytes by link and direction, such as "storage.in" or "node1.out".
        servers: Names of the servers.
        nodes: Names of all nodes.
    """
    received = sum(counts[f"{name}.in"] for name in servers)
    sent = sum(counts[f"{name}.out"] for name in servers)
    taken = sum(counts[f"{name}.in"] for name in nodes)
    return received - max(sent - taken, 0)


class LabPlace(Base):
    """A lab for a study: the one that is up, or one made for the study and removed after it."""

    name = "lab"

    def __init__(self, study: Study) -> None:
        """Prepare the place; the lab is searched for when it is opened."""
        super().__init__(study)
        self._lab: Lab | None = None
        self._owned = False

    @property
    def lab(self) -> Lab:
        """The lab, once it is open."""
        assert self._lab is not None, "the place is not open"
        return self._lab

    def open(self) -> None:
        """Find the lab, or bring one up.

        Raises:
            LabError: No lab can be made here; the message gives the reason and alternatives.
            StudyError: The running lab has another specification than the study needs.
        """
        super().open()
        table = self.study.lab
        try:
            shape = {key: getattr(table, key) for key in _SHAPE}
            spec = LabSpec(name=table.name, nodes=table.nodes, **shape)
            self._check_stores(spec)
            with contextlib.suppress(LabError):
                self._lab = attach(table.name)
            if self._lab is None:
                self._owned = True
                self._lab = up(spec)
            else:
                self._same_shape(self._lab, spec)
            self.nodes = tuple(self._lab.nodes)
            self._run(self._lab, ["mkdir", "-p", *map(str, self.roots())])
        except JostleError as error:
            self.close()
            if isinstance(error, LabError) and not isinstance(error, StudyError):
                error.hint += "\nor run the study on this machine as it is: --place local"
            raise
        except BaseException:
            self.close()
            raise

    def _check_stores(self, spec: LabSpec) -> None:
        """Refuse stores (folders with their own placement of files) that the lab will not have.

        Raises:
            StudyError: A program uses such a store.
        """
        if other := [store for store in self.stores if store and store not in spec.stores]:
            raise StudyError(
                f"The lab has no store `{other[0]}`.",
                hint='Set store = "both" in [lab] for "ram" and "disk"; several storage_rate, '
                'separated by commas, for "by-name" and "by-node".',
            )

    def fabric(self) -> Topology | None:
        """Return the lab's fabric; None if it has no topology."""
        return self.lab.topology()

    def gone(self) -> str:
        """Return a message if the lab was stopped meanwhile; "" if it runs."""
        return "" if self.lab.alive() else f"the lab `{self.lab.name}` was taken down"

    def _same_shape(self, lab: Lab, spec: LabSpec) -> None:
        """Refuse a running lab of another specification, since results would have a wrong name."""
        for key in _SHAPE:
            wanted, there = getattr(spec, key), getattr(lab.spec, key)
            if wanted != there:
                raise StudyError(
                    f"The lab `{lab.name}` that is up has {key} = {there!r}, "
                    f"the study requests {wanted!r}.",
                    hint="Take it down (`jostle lab down`): the study makes its own; "
                    'or name another one: [lab] name = "study".',
                )

    def close(self) -> None:
        """Remove the study's files; stop the lab if it was started for the study."""
        lab, self._lab = self._lab, None
        if lab is not None:
            if self._owned:
                with contextlib.suppress(JostleError):
                    lab.down()
            else:
                with contextlib.suppress(JostleError, OSError, subprocess.SubprocessError):
                    self._run(
                        lab, ["rm", "-rf", *(str(self._root(lab, one)) for one in self.stores)]
                    )
        self._owned = False
        super().close()

    def fix(self, facts: Mapping[str, object]) -> None:
        """Stop a lab that a killed study had started for itself."""
        name = facts.get("own_lab")
        if isinstance(name, str):
            with contextlib.suppress(JostleError):
                attach(name).down()

    def root(self, store: str = "") -> Path:
        """Return a folder of the shared file system."""
        return self._root(self.lab, store)

    def _root(self, lab: Lab, store: str) -> Path:
        return lab.shared / store / f"jostle-{self.study.name}"

    def _run(self, lab: Lab, argv: Sequence[str], launch: Launch | None = None) -> None:
        """Run a short command on the first node, as a program's preparation if one is given.

        Raises:
            StudyError: The command fails.
        """
        node, cwd = lab.nodes[0], str(launch.folder) if launch else "/"
        done = subprocess.run(
            lab.command(node, argv, own_env(launch) if launch else None, cwd),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            last = [line for line in lines if not line.lstrip().startswith("fix:")][-1:]
            said = f": {last[0]}" if last else "."
            raise StudyError(f"`{argv[0]}` on {node} ended with status {done.returncode}{said}")

    def prepare(self, launch: Launch) -> None:
        """Create a program's folder and files on the shared file system.

        Raises:
            StudyError: The folder or the files cannot be created.
        """
        self.make_scratch(launch)
        staged = launch.spool.parent / "stage" / launch.folder.name
        stage(launch, staged)
        script = 'mkdir -p "$1" && cp -r "$2"/. "$1"'
        self._run(self.lab, ["sh", "-c", script, "sh", str(launch.folder), str(staged)])
        if launch.program.prepare:
            self._run(self.lab, [fill(word, launch) for word in launch.program.prepare], launch)

    def clear(self, run: str) -> None:
        """Remove both folders of a run."""
        with contextlib.suppress(JostleError, OSError, subprocess.SubprocessError):
            self._run(self.lab, ["rm", "-rf", *(str(root / run) for root in self.roots())])
        self.clear_scratch(run)

    def lead_s(self, launches: Sequence[Launch]) -> float:
        """Return the lead time of a run, s; mpirun needs a few seconds."""
        return 2.5 if any(launch.program.mpi != "none" for launch in launches) else 0.8

    def commands(self, launch: Launch) -> list[Command]:
        """Return the commands that start a program: one per node, or an mpirun over the nodes."""
        env, program = environment(launch), launch.program
        folder = str(launch.folder)
        if program.mpi in (None, "none"):
            forks = program.pattern is not None
            return [
                Command(
                    self.lab.command(
                        node, words(launch, count if forks else None), own_env(launch), folder
                    ),
                    env,
                )
                for node, count in one_per_node(launch).items()
            ]
        argv = self.lab.mpirun(
            program.mpi or "", placement(launch), words(launch), own_env(launch), folder
        )
        return [Command(argv, env)]

    def monitor(self) -> Monitor | None:
        """Return the lab's counters."""
        return LabMonitor(self.lab)

    def facts(self) -> dict[str, object]:
        """Return the facts of `Base`, and the lab's specification."""
        if self._lab is None:
            return super().facts()
        spec = self._lab.spec
        return {
            **super().facts(),
            "fs": spec.fs,
            "lab": spec.to_json(),
            "own_lab": spec.name if self._owned else None,
        }


def own_env(launch: Launch) -> dict[str, str]:
    """Return the variables that the study gives to a program."""
    return {key: fill(value, launch) for key, value in launch.program.env}
