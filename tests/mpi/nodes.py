"""Two nodes on one machine: network and host-name namespaces joined by a pair of virtual links.

Everything stays inside namespaces made for it and goes with them. A node has the name
``jostle-nodeN-PID`` and the address 10.77.0.N on ``eth0``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

# A sysfs of its own shows a node its own interfaces: MPICH's transport looks there.
# What a launcher calls instead of ssh: ADDRESS COMMAND...; the last number is the node's.
AGENT = """\
#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
node=${{1##*.}}
shift
exec nsenter --net=/run/netns/{name}$node unshare --uts --mount \\
    sh -c 'hostname node'$node'; mount -t sysfs sysfs /sys; '"$*"
"""


@dataclass(frozen=True)
class Nodes:
    """Two nodes that are up."""

    name: str
    agent: Path
    addresses: tuple[str, str] = ("10.77.0.1", "10.77.0.2")

    def on_first(self, *command: str) -> list[str]:
        """A command line that runs on the first node."""
        return [
            "nsenter",
            f"--net=/run/netns/{self.name}1",
            "unshare",
            "--uts",
            "--mount",
            "sh",
            "-c",
            'hostname node1; mount -t sysfs sysfs /sys; exec "$0" "$@"',
            *command,
        ]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


@contextmanager
def two_nodes(folder: Path) -> Iterator[Nodes]:
    """Bring two nodes up, and take them down whatever happens."""
    if os.geteuid() != 0:
        pytest.skip("needs root: it makes network namespaces")
    for tool in ("ip", "nsenter", "unshare"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs the command {tool}")
    name = f"jostle-node-{os.getpid()}-"
    try:
        _ip("netns", "add", f"{name}1")
        _ip("netns", "add", f"{name}2")
        _ip(
            "link",
            "add",
            "eth0",
            "netns",
            f"{name}1",
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            f"{name}2",
        )
        for n in (1, 2):
            for setting in (
                ("addr", "add", f"10.77.0.{n}/24", "dev", "eth0"),
                ("link", "set", "eth0", "up"),
                ("link", "set", "lo", "up"),
            ):
                _ip("-n", f"{name}{n}", *setting)
    except subprocess.CalledProcessError as error:
        _down(name)
        pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
    deadline = time.monotonic() + 60
    while not all(_running(f"{name}{n}") for n in (1, 2)) and time.monotonic() < deadline:
        time.sleep(0.02)
    agent = folder / "agent.sh"
    agent.write_text(AGENT.format(name=name))
    agent.chmod(0o755)
    try:
        yield Nodes(name, agent)
    finally:
        _down(name)


def _running(node: str) -> bool:
    """Whether a node's link has a carrier: it takes a moment, and MPICH looks but once."""
    said = subprocess.run(
        ["ip", "-n", node, "link", "show", "eth0"], capture_output=True, text=True
    ).stdout
    return "LOWER_UP" in said and "state UP" in said


def _down(name: str) -> None:
    for n in (1, 2):
        subprocess.run(["ip", "netns", "del", f"{name}{n}"], capture_output=True)
