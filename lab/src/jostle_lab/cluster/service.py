"""Interfaces that a file system or a batch system implements to run in a lab.

The methods run inside the supervisor, process 1 of the lab's namespaces: when it ends, the kernel
removes whatever a service has started or mounted. Only things outside the namespaces (a loop
device, a control group) need a `fix`. Methods with the remark "Runs on the machine" are called
outside the lab instead, by commands such as `jostle lab status`.
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
        command: Name or absolute path of the command.
        package: Debian package that has the command.
    """

    command: str
    package: str

    def present(self) -> bool:
        """Whether the command is installed."""
        folders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return bool(shutil.which(self.command) or shutil.which(self.command, path=folders))


@dataclass(frozen=True)
class Host:
    """A host of the lab: a file server or a node.

    Attributes:
        name: `storage`, `node1`, ...; also its host name, which every host resolves to `address`.
        pid: ID of a process in the host's namespaces, in the lab's PID namespace.
        address: Address on the network of the nodes, interface `eth0` (the storage has one too).
        storage_address: Address on the storage network, interface `eth1`, which all traffic to and
            from the storage must use. Host name `NAME-s`, for the storage `storage-s`.
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
            LabError: The command failed or took too long; the message has the end of its stderr.
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
            LabError: The call did not return True in time, or a daemon of the lab has died
                meanwhile; the message names `what`, with the last lines of the logs.
        """

    def local(self, host: Host) -> Path:
        """Return the host's own folder on the machine's file system; exists."""


class Service(ABC):
    """A service that runs in a lab.

    Order of calls: needs checked -> start -> (mount on every node) -> ... -> stop. A killed
    supervisor never calls stop; `fix` then removes, on the machine, what the kernel did not.

    Attributes:
        name: Name of the service in options and messages.
        needs: Commands that must be installed.
        needs_root: Whether the service cannot run in a user namespace.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]] = ()
    needs_root: ClassVar[bool] = True

    def __init__(self, site: Site) -> None:
        """Keep the site's description; start nothing."""
        self.site = site

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why the service cannot run on this machine (kernel, devices), or None."""
        return None

    @abstractmethod
    def start(self) -> None:
        """Start the servers, and return when they answer."""

    def stop(self) -> None:  # noqa: B027 (nothing to do is fine)
        """Stop the service gracefully (unmount, flush). Must not raise; need not kill processes."""

    def facts(self) -> dict[str, Any]:
        """Return data for the state file, as `fix` and `counters` need it. Called after start."""
        return {}

    @classmethod
    def fix(cls, facts: Mapping[str, Any]) -> list[str]:
        """Remove what a killed lab left; return a sentence for each thing. Runs on the machine."""
        return []

    @classmethod
    def counters(cls, facts: Mapping[str, Any]) -> dict[str, int]:
        """Return counters such as `disk.written` in bytes. Runs on the machine, in < 1 ms."""
        return {}

    @classmethod
    def groups(cls, facts: Mapping[str, Any]) -> list[Path]:
        """Return the `cgroup.procs` files that a process must join. Runs on the machine."""
        return []

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the service's (label, text) lines for `lab status`."""
        return []


class Filesystem(Service):
    """A shared file system.

    Attributes:
        networked: Whether the file system's traffic crosses the storage link.
        own_store: Whether `start` creates `site.store`; else the lab mounts a store there.
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
        """The source of the mounts: unique among labs, and the same on all nodes of a lab."""
        return f"storage.{self.site.spec.name}:/"
