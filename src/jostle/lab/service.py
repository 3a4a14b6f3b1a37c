"""What a file system or a batch system must do to run in a lab.

Everything here runs inside the supervisor, process 1 of the lab's own namespaces: whatever a
service starts or mounts goes away with it, by the kernel. Only what lives outside the
namespaces (a loop device, a control group) needs a `mend`.
"""

from __future__ import annotations

import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from jostle.lab.spec import LabSpec


@dataclass(frozen=True)
class Need:
    """A command that must be there.

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
    """A host of the lab: the storage or a node.

    Attributes:
        name: `storage`, `node1`, ...; also its host name, which every host resolves to `address`.
        pid: A process that lives in its namespaces, as the lab numbers processes.
        address: On the network of the nodes, interface `eth0` (the storage has it too).
        storage_address: On the storage network, interface `eth1`: all traffic to and from the
            storage must go here. Name `NAME-s`, for the storage `storage-s`.
    """

    name: str
    pid: int
    address: str
    storage_address: str


class Site(Protocol):
    """The lab as a service sees it, from inside the supervisor.

    Attributes:
        spec: What was asked for.
        folder: The lab's state folder (on the host's file system; all hosts see it).
        store: Where the storage keeps data: an empty folder with its own cap on size (tmpfs, or
            ext4 on a disk image), visible to the supervisor and the storage, not to the nodes.
        shared: Where every node shall see the shared file system; exists, empty.
        rootless: Whether the lab runs in a user namespace.
        storage: The storage host.
        nodes: The nodes.
    """

    spec: LabSpec
    folder: Path
    store: Path
    shared: Path
    rootless: bool
    storage: Host
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
            LabError: It failed or took too long; carries the end of its stderr.
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
        """Ask `check` every few milliseconds until it says yes.

        Raises:
            LabError: It did not in time; says `what` was waited for, with the logs' last lines,
                also when a daemon of the lab has died meanwhile.
        """

    def local(self, host: Host) -> Path:
        """Return the host's own folder on the machine's file system; exists."""


class Service(ABC):
    """Something that runs in a lab.

    The order: needs checked -> start -> (mount on every node) -> ... -> stop. A supervisor that
    is killed never calls stop; `mend` then does, on the machine itself, what the kernel did not.

    Attributes:
        name: As the user names it.
        needs: Commands that must be installed.
        needs_root: Whether it is out of the question in a user namespace.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]] = ()
    needs_root: ClassVar[bool] = True

    def __init__(self, site: Site) -> None:
        """Keep the site; start nothing."""
        self.site = site

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why it cannot work on this machine (kernel, devices), or None. On the host."""
        return None

    @abstractmethod
    def start(self) -> None:
        """Start servers, and return when they answer."""

    def stop(self) -> None:  # noqa: B027 (nothing to do is fine)
        """End in order (unmount, flush). Must not raise; need not kill processes."""

    def facts(self) -> dict[str, Any]:
        """Return what `mend` and `counters` must know, for the state file. Asked after start."""
        return {}

    @classmethod
    def mend(cls, facts: Mapping[str, Any]) -> list[str]:
        """Remove from the machine what a killed lab left, one sentence each. On the host."""
        return []

    @classmethod
    def counters(cls, facts: Mapping[str, Any]) -> dict[str, int]:
        """Return counters of its own, such as `disk.written` in bytes. On the host, in < 1 ms."""
        return {}

    @classmethod
    def groups(cls, facts: Mapping[str, Any]) -> list[Path]:
        """Return the `cgroup.procs` files that a process must join to enter. On the host."""
        return []

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return (label, text) lines of its own for `lab status`."""
        return []


class Filesystem(Service):
    """A shared file system.

    Attributes:
        networked: Whether its traffic goes over the storage link.
        own_store: Whether it makes `site.store` itself, in `start`; else the lab mounts one.
    """

    networked: ClassVar[bool] = True
    own_store: ClassVar[bool] = False

    @abstractmethod
    def mount(self, node: Host) -> None:
        """Make `site.shared` the shared file system in the node's mount namespace.

        Called in the supervisor, node after node; returns when it is mounted. Use
        `site.run(node, ...)` and `site.spawn(node, ...)`. The source of the mount must be the
        same on all nodes, since it names the shared resource in profiles: `source`.
        """

    @property
    def source(self) -> str:
        """The source that mounts carry: unique among labs, equal on the nodes of one."""
        return f"storage.{self.site.spec.name}:/"
