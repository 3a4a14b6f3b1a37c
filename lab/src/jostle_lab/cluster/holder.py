"""Starts the process of a lab's host, whose only task is to keep its namespaces alive."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from pathlib import Path

from jostle_lab.cluster import namespaces, network, wires
from jostle_lab.cluster.service import Host
from jostle_lab.cluster.service_context import LabSite
from jostle_lab.cluster.spec import LabError, LabSpec


class Holder:
    """Forks the process of a host, and sets the host up once its cables are connected."""

    def __init__(self, name: str, number: int, site: LabSite, *, hide_store: bool) -> None:
        """Fork the process and wait until its namespaces exist.

        Args:
            name: Name of the host.
            number: Last part of the host's addresses.
            site: The lab of the host.
            hide_store: Whether the host must not see the store.
        """
        self.number = number
        self._orders, ours = os.pipe()
        theirs, self._answers = os.pipe()
        pid = os.fork()
        if pid == 0:
            _hold(name, number, site, hide_store, theirs, ours)
        os.close(ours)
        os.close(theirs)
        # From here, `_answers` is what the host writes, and `_orders` what it reads.
        self.host = Host(name, pid, network.address(number), wires.file_address(site.spec, number))
        self.wait()

    def wait(self) -> None:
        """Wait for the host to report that a step is done.

        Raises:
            LabError: The step failed.
        """
        word = os.read(self._orders, 4096)
        if word != b".":
            why = word.decode(errors="replace") or "it ended"
            raise LabError(f"{self.host.name} could not be set up: {why}")

    def go_on(self) -> None:
        """Notify the host that its cables are connected."""
        os.write(self._answers, b".")


def prepare_mounts() -> None:
    """Make this mount namespace private, with a /proc of its own."""
    namespaces.mount("none", "/", "", namespaces.MS_REC | namespaces.MS_PRIVATE)
    closed = namespaces.MS_NOSUID | namespaces.MS_NODEV | namespaces.MS_NOEXEC
    namespaces.mount("proc", "/proc", "proc", closed)


def _hold(
    name: str, number: int, site: LabSite, hide_store: bool, orders: int, answers: int
) -> None:
    """Run the host's process; never returns."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        namespaces.unshare(namespaces.NEWNET | namespaces.NEWUTS | namespaces.NEWNS)
        namespaces.set_host_name(name)
        os.write(answers, b".")
        if os.read(orders, 1) != b".":
            os._exit(1)
        _mounts(name, site, hide_store)
        _network(number, site.spec)
        os.write(answers, b".")
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        os.write(answers, str(error).encode() or b"?")
        os._exit(1)
    while True:
        signal.pause()


def _network(number: int, spec: LabSpec) -> None:
    network.quiet_namespace()
    commands = "\n".join(wires.host_commands(spec, number))
    done = subprocess.run(["ip", "-batch", "-"], input=commands, text=True, capture_output=True)
    if done.returncode:
        raise LabError(f"ip: {done.stderr.strip()}")
    network.offloads_off(["eth0", "eth1"])


def _mounts(name: str, site: LabSite, hide_store: bool) -> None:
    """Mount the host's own parts of the file system: names, shared memory, a folder, /sys."""
    bind = namespaces.MS_BIND
    namespaces.mount(site.folder / "hosts", "/etc/hosts", "", bind)
    namespaces.mount("tmpfs", "/dev/shm", "tmpfs", namespaces.MS_NOSUID, "mode=1777")
    namespaces.mount(site.folder / "local" / name, site.folder / "here", "", bind)
    _own_sys(site.folder)
    if hide_store:
        namespaces.unmount(site.store)


def _own_sys(folder: Path) -> None:
    """Mount a /sys that shows this host's interfaces, with the control groups it had before.

    NOTE: an old kernel or a container may refuse; /sys then shows the machine's interfaces.
    """
    groups, aside = Path("/sys/fs/cgroup"), folder / "aside"
    try:
        namespaces.mount(groups, aside, "", namespaces.MS_BIND | namespaces.MS_REC)
        namespaces.mount("sysfs", "/sys", "sysfs", namespaces.MS_NOSUID | namespaces.MS_NODEV)
        namespaces.mount(aside, groups, "", namespaces.MS_MOVE)
    except OSError:
        return
