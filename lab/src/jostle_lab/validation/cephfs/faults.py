"""Makes a CephFS server slow in bursts, and logs the times at which it was slow."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from jostle_lab.cluster import Lab, network
from jostle_lab.validation.cephfs.plan import METADATA_SERVER, OBJECT_SERVERS, Fault
from jostle_lab.validation.errors import ValidationError

#: Period with which a stopped process is continued.
_CYCLE_S = 0.1


def inject(lab: Lab, fault: Fault, start_ns: int, over: threading.Event) -> list[list[int]]:
    """Make a server slow periodically until a run is over; return the slow spans, in ns.

    Args:
        lab: Lab of the experiment.
        fault: Fault: server, kind and times.
        start_ns: Start of the victim, in ns.
        over: Event that is set when the run is over.

    Raises:
        ValidationError: The server cannot be found, or its link cannot be changed.
    """
    bursts: list[list[int]] = []
    begin_ns = start_ns + int(fault.rhythm.first_s * 1e9)
    while not over.wait(max((begin_ns - time.time_ns()) / 1e9, 0)):
        end_ns = begin_ns + int(fault.rhythm.on_s * 1e9)
        begun_ns = time.time_ns()
        slow(lab, fault.server, fault.how, fault.part, end_ns, over)
        bursts.append([begun_ns, time.time_ns()])
        begin_ns += int(fault.rhythm.period_s * 1e9)
    return bursts


def slow(lab: Lab, server: str, how: str, part: float, end_ns: int, over: threading.Event) -> None:
    """Make a server slow until an instant, or until an event is set.

    Args:
        lab: The lab; with another file system than CephFS, only links can be slow.
        server: Host of the server.
        how: `stop` or `link`, see `Fault`.
        part: Size of the part in `how`.
        end_ns: Time at which the server is as fast as before, in ns.
        over: Event that ends the fault early.

    Raises:
        ValidationError: The server cannot be found, or its link cannot be changed.
    """
    if how == "stop":
        _stop(_process(lab, server), part, end_ns, over)
    else:
        _slow_link(lab, server, part, end_ns, over)


def _stop(pid: int, part: float, end_ns: int, over: threading.Event) -> None:
    """Stop and resume a process again and again, so that it stands still for part of the time."""
    try:
        while time.time_ns() < end_ns and not over.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(part * _CYCLE_S)
            os.kill(pid, signal.SIGCONT)
            time.sleep((1 - part) * _CYCLE_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _slow_link(lab: Lab, server: str, part: float, end_ns: int, over: threading.Event) -> None:
    bits = lab.spec.server_rates[lab.spec.server_names.index(server)]
    try:
        _shape(lab, server, int(bits * part))
        over.wait(max((end_ns - time.time_ns()) / 1e9, 0))
    finally:
        _shape(lab, server, bits)


def _shape(lab: Lab, server: str, bits: int) -> None:
    """Change the data rate at both ends of a server's link."""
    number = dict(network.servers(lab.spec))[server]
    switches = ["nsenter", "-t", str(lab.state.pid), "-n", "tc", "-batch", "-"]
    port = f"qdisc del dev {network.port('s', number)} root"
    _tc(switches, [port, *network.shape_storage_port(lab.spec, number, bits)])
    host = lab.command(server, ["tc", "-batch", "-"], cwd="/")
    _tc(host, ["qdisc del dev eth1 root", *network.shape_storage_host(lab.spec, bits)])


def _tc(command: Sequence[str], lines: Sequence[str]) -> None:
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(f"The link of a server cannot be changed: {done.stderr.strip()}")


def _process(lab: Lab, server: str) -> int:
    """Return the process ID, on this machine, of the server that runs on a host of the lab."""
    known = {METADATA_SERVER: "mds.m"} | {
        host: f"osd.{number}" for number, host in enumerate(OBJECT_SERVERS)
    }
    config = str(lab.folder / "ceph" / "ceph.conf")
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if words[0].startswith("ceph-") and {config, known[server]} <= set(words):
                return int(folder.name)
    raise ValidationError(f"The server process on {server} was not found; it may have ended.")
