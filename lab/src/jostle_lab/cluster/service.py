"""Interfaces that a file system or a batch system implements to run in a lab.

All of this runs inside the supervisor, process 1 of the lab's namespaces: when it ends, the kernel
removes whatever a service has started or mounted. Only things outside the namespaces (a loop
device, a control group) need a `fix`.
"""

from __future__ import annotations

import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from jostle_lab.cluster.spec import LabSpec


@dataclass(frozen=True)
class Need:
    """A command that must be installed.

    Attributes:
        command: Its name, or its absolute path.
        package: The Debian package that has it.
    """

    command: str
    package: str

    def present(self) -> bool:
        """Whether it is installed."""
        folders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return bool(shutil.which(self.command) or shutil.which(self.command, path=folders))


@dataclass(frozen=True)
class Host:
    """A host of the lab: a file server or a node.

    Attributes:
        name: `storage`, `node1`, ...; also its host name, which every host resolves to `address`.
        pid: A process in its namespaces, as numbered inside the lab.
        address: Its address on the network of the nodes, interface `eth0` (the storage has it too).
        storage_address: Its address on the storage network, interface `eth1`, which all traffic to
            and from the storage must use. Host name `NAME-s`, for the storage `storage-s`.
    """

    name: str
    pid: int
    address: str
    storage_address: str


class Site(Protocol):
    """The lab as a service sees it, from inside the supervisor.

    Attributes:
        spec: The specification of the lab.
        folder: The lab's state folder (on the host's file system; all hosts see it).
        store: The data folder of the storage: empty, with its own limit on size (tmpfs, or
            ext4 on a disk image), visible to the supervisor and the storage, not to the nodes.
        shared: Where every node mounts the shared file system; an existing, empty folder.
        rootless: Whether the lab runs in a user namespace.
        storage: The storage host, the first of the file servers.
        servers: The file servers; usually one.
        nodes: The nodes.
    """

    spec: LabSpec
    folder: Path
    store: Path
    shared: Path
    rootless: bool
    storage: Host
    servers: tuple[Host, ...]
    nodes: tuple[Host, ...]

    def run(
        self,
        host: Host | None,
        argv: Sequence[str],
        *,
        timeout: float = 20,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command on a host (None: the supervisor's own namespaces); return its stdout.

        Raises:
            LabError: It failed or took too long; the message has the end of its stderr.
        """

    def spawn(
        self,
        host: Host | None,
        argv: Sequence[str],
        *,
        log: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a daemon (in the foreground) on a host; its output goes to folder/log/LOG."""

    def wait_for(self, check: Callable[[], bool], what: str, *, timeout: float = 20) -> None:
        """Call `check` every few milliseconds until it returns True.

        Raises:
            LabError: It did not in time, or a daemon of the lab has died meanwhile; the message
                names `what`, with the last lines of the logs.
        """

    def local(self, host: Host) -> Path:
        """Return the host's own folder on the machine's file system; exists."""


class Service(ABC):
    """A service that runs in a lab.

    Order of calls: needs checked -> start -> (mount on every node) -> ... -> stop. A killed
    supervisor never calls stop; `fix` then removes, on the machine, what the kernel did not.

    Attributes:
        name: As the user names it.
        needs: Commands that must be installed.
        needs_root: Whether it cannot run in a user namespace.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]] = ()
    needs_root: ClassVar[bool] = True

    def __init__(self, site: Site) -> None:
        """Keep the site; start nothing."""
        self.site = site

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why it cannot work on this machine (kernel, devices), or None."""
        return None

    @abstractmethod
    def start(self) -> None:
        """Start the servers, and return when they answer."""

    def stop(self) -> None:  # noqa: B027 (nothing to do is fine)
        """End gracefully (unmount, flush). Must not raise; need not kill processes."""

    def facts(self) -> dict[str, Any]:
        """Return what `fix` and `counters` need, for the state file. Called after start."""
        return {}

    @classmethod
    def fix(cls, facts: Mapping[str, Any]) -> list[str]:
        """Remove what a killed lab left; return one sentence each. Runs on the machine."""
        return []

    @classmethod
    def counters(cls, facts: Mapping[str, Any]) -> dict[str, int]:
        """Return its counters, such as `disk.written` in bytes. Runs on the machine, in < 1 ms."""
        return {}

    @classmethod
    def groups(cls, facts: Mapping[str, Any]) -> list[Path]:
        """Return the `cgroup.procs` files that a process must join. Runs on the machine."""
        return []

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return its (label, text) lines for `lab status`."""
        return []


class Filesystem(Service):
    """A shared file system.

    Attributes:
        networked: Whether its traffic goes over the storage link.
        own_store: Whether `start` creates `site.store`; else the lab mounts one.
    """

    networked: ClassVar[bool] = True
    own_store: ClassVar[bool] = False

    @abstractmethod
    def mount(self, node: Host) -> None:
        """Mount the shared file system on `site.shared` in the node's mount namespace.

        Called in the supervisor for one node after the other; returns when it is mounted. Use
        `site.run(node, ...)` and `site.spawn(node, ...)`. The source of the mount must be the
        same on all nodes, since it identifies the shared resource in profiles: `source`.
        """

    @property
    def source(self) -> str:
        """The source that mounts carry: unique among labs, equal on the nodes of one."""
        return f"storage.{self.site.spec.name}:/"
