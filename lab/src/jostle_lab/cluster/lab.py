"""The interface of labs: start a lab, find it, run commands on its nodes, remove it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jostle
from jostle.errors import JostleError
from jostle_lab.cluster import mpi as launchers
from jostle_lab.cluster import network, wires
from jostle_lab.cluster.checks import check_machine
from jostle_lab.cluster.registry import services
from jostle_lab.cluster.spec import LabError, LabSpec, check_name
from jostle_lab.cluster.state import (
    Claim,
    State,
    base_folder,
    clear,
    fix,
    names,
    read_state,
    roots_own,
    trusted_folder,
)

if TYPE_CHECKING:
    from jostle.topology import Topology

_PATIENCE_S = 120.0
_GRACE_S = 10.0


class Lab:
    """A lab that is up.

    Attributes:
        name: The lab's name.
        spec: The specification from which the lab was built.
        nodes: Names of the lab's nodes.
        folder: The lab's state folder, on the machine and on every host of the lab.
        shared: The shared file system, as every node sees it. Empty on the machine itself.
    """

    def __init__(self, folder: Path, state: State) -> None:
        """Represent a running lab by its state; use `attach` to find one."""
        self.folder = folder
        self.state = state
        self.spec = state.spec
        self.name = state.spec.name
        self.nodes = list(state.spec.node_names)
        self.shared = folder / "shared"
        #: Path of a node's own folder on that node; elsewhere it is `local("nodeN")`.
        self.here = folder / "here"

    def alive(self) -> bool:
        """Whether the lab is still up."""
        return self.state.alive()

    def local(self, node: str) -> Path:
        """Return a host's own folder on the machine's file system, the same path everywhere."""
        return self.folder / "local" / self._known(node)

    def command(
        self,
        node: str,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
    ) -> list[str]:
        """Return the command that, run on this machine, runs a command on a node.

        It keeps descriptors and terminal, receives the signals, and returns the exit status.

        Args:
            node: `node1`, ... or a file server, `storage`.
            argv: The command.
            env: Variables for the command alone, on top of the environment it inherits.
            cwd: The lab's working directory, as the node sees it; the caller's by default.
        """
        state = self.state
        given = {key: value for key, value in self._environment().items() if key not in os.environ}
        variables = [f"{key}={value}" for key, value in (given | dict(env or {})).items()]
        wrapped = ["env", *variables, *argv] if variables else list(argv)
        return [
            sys.executable,
            "-IS",
            str(Path(__file__).with_name("enter.py")),
            str(state.pid),
            str(state.start),
            "1" if state.rootless else "0",
            str(state.hosts[self._known(node)]),
            os.fspath(cwd or _working_directory()),
            self._groups(),
            "--",
            *wrapped,
        ]

    def popen(
        self,
        node: str,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        **popen: Any,
    ) -> subprocess.Popen[Any]:
        """Start a command on a node; `env` is added to the environment, the rest is Popen's."""
        return subprocess.Popen(self.command(node, argv, env, cwd), **popen)

    def mpirun(
        self,
        mpi: str,
        placement: Mapping[str, int] | Sequence[tuple[str, int]],
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
    ) -> list[str]:
        """Return the command that, run on this machine, runs an MPI job on nodes.

        Args:
            mpi: `openmpi` or `mpich`.
            placement: Ranks on each node; ranks are numbered in this order.
            argv: The program.
            env: Variables for the ranks, not for the launcher's daemons.
            cwd: Working directory, as the nodes see it; the caller's by default.

        Raises:
            LabError: That MPI is not installed, or there is no such node.
        """
        pairs = list(placement.items() if isinstance(placement, Mapping) else placement)
        for node, _ in pairs:
            self._known(node)
        words, own = launchers.launch(mpi, pairs, argv, env or {}, agent=self.folder / "agent")
        return self.command(pairs[0][0], words, own, cwd)

    def counters(self, *, payload: bool = False) -> dict[str, int]:
        """Return bytes so far by link and direction, as the interfaces count them.

        Args:
            payload: Leave out the 66 bytes of Ethernet, IP and TCP headers that every packet has
                here (offloads are off, so a packet is a packet).

        The keys are:
            `storage.in`, `storage.out`: the storage's link; likewise for further file servers.
            `nodeN.in`, `nodeN.out`: the node's cable to the storage network.
            `nodeN.mpi.in`, `nodeN.mpi.out`: the node's cable to its leaf switch. Where the storage
                is on the fabric, this is the same cable as that of `nodeN.in`.
            `uplink.right`, `uplink.left`: from leaf 1 to leaf 2, and back.
            `leaf1 > spine1`, ...: each link, instead of the uplink, in a lab with a topology.
            `disk.written`: where a disk is used.

        Raises:
            LabError: The lab is gone.
        """
        try:
            table = Path(f"/proc/{self.state.pid}/net/dev").read_text()
            if not self.alive():
                raise ProcessLookupError
        except OSError:
            raise gone(self.name) from None
        counts = wires.counters(self.spec, table, payload=payload)
        if self.state.device:
            from jostle_lab.cluster.store import written

            counts["disk.written"] = written(self.state.device) - self.state.written
        for kind in services(self.spec):
            counts |= kind.counters(self.state.facts.get(kind.name, {}))
        return counts

    def topology(self) -> Topology | None:
        """Return the fabric that the lab is wired as; None: two leaf switches without routes.

        It is valid from when the lab was started.
        """
        if not self.spec.topology:
            return None
        from jostle_lab.cluster import fabric

        return replace(fabric.topology(self.spec), valid_from_ns=self.state.begun_ns)

    def down(self) -> list[str]:
        """End the lab and everything in it; return one sentence per thing cleaned up."""
        return down(self.name)

    def _environment(self) -> dict[str, str]:
        """Return the variables that the lab's services need on every node."""
        variables: dict[str, str] = {}
        for facts in self.state.facts.values():
            variables |= facts.get("env") or {}
        return variables

    def _groups(self) -> str:
        """Return the control groups that a command must join, as `enter.py` takes them."""
        paths: list[Path] = []
        for kind in services(self.spec):
            paths += kind.groups(self.state.facts.get(kind.name, {}))
        return ":".join(str(path) for path in paths)

    def _known(self, node: str) -> str:
        if node not in self.state.hosts:
            raise LabError(
                f"The lab `{self.name}` has no node `{node}`.",
                hint=f"It has {', '.join([*self.nodes, *self.spec.server_names])}.",
                exit_code=2,
            )
        return node


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def gone(name: str) -> LabError:
    """Return the error that a lab is not up; the message says if it ended without `down`."""
    flag = "" if name == "lab" else f" --name {name}"
    there = names()
    others = [other for other in there if other != name and _is_up(other)]
    also = f" ({', '.join(others)}: --name)" if others else ""
    if name in there and not _is_coming(name):
        return LabError(
            f"The lab `{name}` is no longer up: it ended without `down`{also}.",
            hint=f"jostle lab down{flag} clears up; jostle lab up{flag} does so too, "
            "and brings one up.",
            exit_code=2,
        )
    hint = f"Root has one: sudo jostle lab ...{flag}" if roots_own(name) else f"jostle lab up{flag}"
    return LabError(f"No lab `{name}` is up{also}.", hint=hint, exit_code=2)


def _is_up(name: str) -> bool:
    state = read_state(base_folder() / name)
    return state is not None and state.ready and state.alive()


def _is_coming(name: str) -> bool:
    """Return whether this lab is being started or removed at the moment."""
    state = read_state(base_folder() / name)
    return state is None or state.alive()


def _folder_of(name: str) -> Path:
    check_name(name)
    try:
        return trusted_folder() / name
    except OSError:
        raise gone(name) from None


def attach(name: str = "lab") -> Lab:
    """Find a lab that is up.

    Raises:
        LabError: No lab of this name is up.
    """
    folder = _folder_of(name)
    state = read_state(folder)
    if state is None or not (state.ready and state.alive()):
        raise gone(name)
    return Lab(folder, state)


def labs() -> list[Lab]:
    """Return all labs of this user that are up."""
    running = []
    for name in names():
        with contextlib.suppress(JostleError):
            running.append(attach(name))
    return running


def up(spec: LabSpec, progress: Callable[[str], None] = lambda step: None) -> Lab:
    """Start a lab; on any failure nothing of it remains.

    Args:
        spec: What to build.
        progress: Called with a description of each step.

    Raises:
        LabError: It is up already, something is missing on this machine, or a step failed.
    """
    rootless = check_machine(spec)
    claim = Claim(spec.name)
    ready = False
    try:
        for line in clear(claim.folder):
            progress(line)
        (claim.folder / "hosts").write_text(network.hosts_file(spec))
        _supervise(spec, claim, rootless, progress)
        ready = True
    finally:
        if not ready:
            _kill(claim.folder)
            claim.remove()
        claim.release()
    return attach(spec.name)


def _supervise(
    spec: LabSpec, claim: Claim, rootless: bool, progress: Callable[[str], None]
) -> None:
    """Start the supervisor and listen to it until the lab is up."""
    ours, theirs = socket.socketpair()
    request = {
        "spec": spec.to_json(),
        "folder": str(claim.folder),
        "report": theirs.fileno(),
        "rootless": rootless,
    }
    log = claim.folder / "supervisor.log"
    environment = {
        key: value
        for key, value in os.environ.items()
        if key == "JOSTLE_NATIVE" or not key.startswith(("LD_PRELOAD", "JOSTLE", "OMPI_", "PMI"))
    }
    packages = (Path(__file__).parents[2], Path(str(jostle.__file__)).parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(map(str, packages))
    environment["PATH"] = f"{environment.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin"
    with ours, theirs, log.open("ab") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "jostle_lab.cluster.supervisor", json.dumps(request)],
            pass_fds=[theirs.fileno(), claim.descriptor],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            env=environment,
            cwd="/",
        )
        theirs.close()
        _listen(ours, log, progress)
        process.wait()
        _write_agent(claim.folder, spec)
        ours.sendall(b"go")


def _listen(report: socket.socket, log: Path, progress: Callable[[str], None]) -> None:
    """Follow the supervisor's lines until it is ready.

    Raises:
        LabError: The supervisor reported an error, or ended without a report.
    """
    report.settimeout(_PATIENCE_S)
    with report.makefile("r") as lines:
        try:
            for line in lines:
                news = json.loads(line)
                if "error" in news:
                    raise LabError(
                        f"The lab did not come up: {news['error']}", hint=news.get("hint", "")
                    )
                if news.get("ready"):
                    return
                progress(news["progress"])
        except TimeoutError:
            raise LabError(f"The lab did not come up within {_PATIENCE_S:g} s.") from None
    last = log.read_text(errors="replace").strip()[-800:]
    raise LabError(f"The lab's supervisor ended: {last or 'killed'}")


def _write_agent(folder: Path, spec: LabSpec) -> None:
    """Write the program that MPI launchers use instead of ssh."""
    state = read_state(folder)
    assert state is not None  # the supervisor has just reported that it is ready
    agent = folder / "agent"
    agent.write_text(launchers.agent(state.hosts, network.numbered(spec)))
    agent.chmod(0o755)


def _kill(folder: Path, grace_s: float = 0.0) -> bool:
    """End a folder's supervisor, gracefully if within `grace_s`; return whether it ran."""
    state = read_state(folder)
    if state is None:
        return False
    try:
        descriptor = os.pidfd_open(state.pid)
    except OSError:
        return False
    try:
        if not state.alive():
            return False
        if grace_s:
            signal.pidfd_send_signal(descriptor, signal.SIGTERM)
            if select.select([descriptor], [], [], grace_s)[0]:
                return True
            fix(folder)
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        if not select.select([descriptor], [], [], _GRACE_S)[0]:
            raise LabError(
                f"The lab's supervisor (process {state.pid}) does not end.",
                hint="A process of it hangs in the kernel; try again in a minute.",
            )
    except ProcessLookupError:
        return True
    finally:
        os.close(descriptor)
    return True


def down(name: str = "lab") -> list[str]:
    """End a lab, or remove what a crash or a reboot left of it.

    Returns:
        One sentence per thing that had to be cleaned up; empty if the lab was intact.

    Raises:
        LabError: There is no lab of this name, or it does not end.
    """
    folder = _folder_of(name)
    if not folder.is_dir():
        raise gone(name)
    ran, repairs = _kill(folder, _GRACE_S), []
    if not ran:
        repairs += fix(folder)  # first, since it lifts a limit that may delay the last processes
    claim = _claim_soon(name)
    try:
        repairs += claim.remove()
    finally:
        claim.release()
    return repairs if ran else [f"the lab `{name}` had ended without `down`", *repairs]


def _claim_soon(name: str) -> Claim:
    """Claim the name of a lab whose last processes are ending."""
    end = time.monotonic() + _GRACE_S
    while True:
        try:
            return Claim(name)
        except LabError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def down_all() -> list[str]:
    """End every lab of this user and remove leftovers; return what had to be cleaned up."""
    fixed: list[str] = []
    for name in names():
        fixed += down(name)
    return fixed
