"""Makes one node of a lab slow for a while: its cores, its disk or its link. Needs root.

Each node of the lab has its own control groups (cpu and blkio, version 1), which its ranks enter
when they start. While nothing is injected, the groups' limits are too high to have an effect. The
groups have so much weight that other processes of the machine take hardly any time from them.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from jostle_lab.cluster import Lab, network
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.jobs import stop
from jostle_lab.validation.waits.plan import CAPPED, DISK, LINK, STARVED, Injection

_GROUPS = Path("/sys/fs/cgroup")
_CONTROLLERS = ("cpu", "blkio")
_PERIOD_US, _NO_LIMIT_CORES = 100_000, 8
#: CPU weight of a group; one process of the machine has 1024.
_WEIGHT = 20 * 1024
#: Queue of a limited link before it drops packets.
_QUEUE_BYTES, _BURST_BYTES = 512 << 10, 16 << 10
#: Command of a process that uses a core and nothing else.
_ENTERS_S = 10.0
_BUSY = "while :; do :; done"


class NodeGroups:
    """The control groups of the nodes of a lab."""

    def __init__(self, lab: Lab) -> None:
        """Make the groups.

        Raises:
            ValidationError: There are no control groups of version 1, or they cannot be made.
        """
        self._lab = lab
        device = os.stat(lab.local(lab.nodes[0])).st_dev
        self._device = f"{os.major(device)}:{os.minor(device)}"
        try:
            for node in lab.nodes:
                for controller in _CONTROLLERS:
                    self.folder(controller, node).mkdir(exist_ok=True)
                self._others(node).mkdir(exist_ok=True)
                (self.folder("cpu", node) / "cpu.shares").write_text(str(_WEIGHT))
                self._quota(node, _NO_LIMIT_CORES)
        except OSError as error:
            raise ValidationError(
                f"The nodes cannot be limited: {error}. It needs root and control groups of "
                "version 1 (cpu, blkio)."
            ) from error

    def folder(self, controller: str, node: str) -> Path:
        """Return the folder of a node's group."""
        return _GROUPS / controller / f"jostle-{self._lab.name}-{node}"

    def _others(self, node: str) -> Path:
        """Return the folder of a node's group for processes that compete with its ranks."""
        return _GROUPS / "cpu" / f"jostle-{self._lab.name}-{node}-others"

    def words(self, cores: Sequence[str]) -> list[str]:
        """Return the prefix of a rank's command that enters its node's groups.

        Args:
            cores: The cores that the ranks of each node are bound to, as taskset takes them.
        """
        names = " ".join(
            f"{node}) core={core};;" for node, core in zip(self._lab.nodes, cores, strict=True)
        )
        prefix = f"jostle-{self._lab.name}-"
        enter = "; ".join(
            f"echo 0 > {_GROUPS}/{controller}/{prefix}$(hostname)/cgroup.procs"
            for controller in _CONTROLLERS
        )
        script = f'set -e; {enter}; case $(hostname) in {names} esac; exec taskset -c $core "$@"'
        return ["sh", "-c", script, "rank"]

    def _quota(self, node: str, cores: float) -> None:
        folder = self.folder("cpu", node)
        (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (folder / "cpu.cfs_quota_us").write_text(str(int(cores * _PERIOD_US)))

    @contextlib.contextmanager
    def capped(self, node: str, cores: float) -> Iterator[None]:
        """Limit the CPU time of a node's ranks."""
        self._quota(node, cores)
        try:
            yield
        finally:
            self._quota(node, _NO_LIMIT_CORES)

    @contextlib.contextmanager
    def slow_disk(self, node: str, rate: float) -> Iterator[None]:
        """Limit the rate at which a node's ranks write."""
        rule = self.folder("blkio", node) / "blkio.throttle.write_bps_device"
        rule.write_text(f"{self._device} {int(rate)}")
        try:
            yield
        finally:
            rule.write_text(f"{self._device} 0")

    @contextlib.contextmanager
    def busy(self, node: str, core: str, count: int) -> Iterator[None]:
        """Run processes that use a core of a node, each with the weight of a rank."""
        (self._others(node) / "cpu.shares").write_text(str(count * _WEIGHT))
        enter = f"echo 0 > {self._others(node)}/cgroup.procs; {_BUSY}"
        words = ["taskset", "-c", core, "sh", "-c", enter]
        processes = [self._lab.popen(node, words, cwd="/") for _ in range(count)]
        try:
            self._entered(node, count)
            yield
        finally:
            for process in processes:
                stop(process)

    def _entered(self, node: str, count: int) -> None:
        """Wait until so many processes are in a node's group of other processes."""
        latest = time.monotonic() + _ENTERS_S
        while len((self._others(node) / "cgroup.procs").read_text().split()) < count:
            if time.monotonic() > latest:
                raise ValidationError(f"The processes that use a core of {node} did not start.")
            time.sleep(0.005)

    def remove(self) -> None:
        """Remove the groups."""
        for node in self._lab.nodes:
            folders = [self.folder(controller, node) for controller in _CONTROLLERS]
            for folder in (*folders, self._others(node)):
                with contextlib.suppress(OSError):
                    folder.rmdir()


@contextlib.contextmanager
def slow_link(lab: Lab, node: str, rate: float) -> Iterator[None]:
    """Limit both directions of a node's link to the other nodes, bytes per second."""
    number = lab.nodes.index(node) + 1
    switch = ["nsenter", "-t", str(lab.state.pid), "-n", "tc", "qdisc"]
    host = lab.command(node, ["tc", "qdisc"], cwd="/")
    ends = [(switch, network.port("n", number)), (host, "eth0")]
    limit = ["rate", f"{int(8 * rate)}bit", "burst", str(_BURST_BYTES), "limit", str(_QUEUE_BYTES)]
    try:
        for words, device in ends:
            _tc([*words, "add", "dev", device, "root", "tbf", *limit])
        yield
    finally:
        for words, device in ends:
            with contextlib.suppress(ValidationError):
                _tc([*words, "del", "dev", device, "root"])


def _tc(words: Sequence[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(f"A link cannot be limited: {done.stderr.strip()}")


def injected(
    lab: Lab, groups: NodeGroups, injection: Injection, core: str
) -> contextlib.AbstractContextManager[None]:
    """Return the context in which a node is slow.

    Args:
        lab: The lab.
        groups: The control groups of its nodes.
        injection: Cause and strength of the disturbance.
        core: Core of the node's rank.
    """
    node = lab.nodes[injection.node]
    if injection.cause == CAPPED:
        return groups.capped(node, injection.strength)
    if injection.cause == STARVED:
        return groups.busy(node, core, int(injection.strength))
    if injection.cause == DISK:
        return groups.slow_disk(node, injection.strength)
    if injection.cause == LINK:
        return slow_link(lab, node, injection.strength)
    raise ValueError(f"{injection.cause} is part of the program")
