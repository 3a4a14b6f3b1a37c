"""The supervisor, process 1 of a lab: builds the lab, keeps it running, and removes it by ending.

Started by `jostle_lab.cluster.lab.up` as `python -m jostle_lab.cluster.supervisor REQUEST`, REQUEST
being JSON with `spec`, `folder`, `report` (a socket to the caller) and `rootless`. It answers with
lines of JSON: progress, then `ready` or an error; if the caller ends before it has sent `go`, the
lab ends.

RATIONALE: everything a lab consists of lives in namespaces whose only owners are processes of
this PID namespace. When its process 1 ends, also by SIGKILL, the kernel kills the others, and
with the last process of a namespace go its interfaces and its mounts. Nothing is left to clean up.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle_lab.cluster import namespaces, network, store, wires
from jostle_lab.cluster.holder import Holder, prepare_mounts
from jostle_lab.cluster.registry import services
from jostle_lab.cluster.service import Filesystem, Host, Service
from jostle_lab.cluster.service_context import LabSite
from jostle_lab.cluster.spec import LabSpec

_NAMESPACES = (
    namespaces.NEWNS | namespaces.NEWUTS | namespaces.NEWIPC | namespaces.NEWNET | namespaces.NEWPID
)


class Supervisor:
    """Builds the lab step by step, and records what it has built."""

    def __init__(self, request: dict[str, Any], pid: int) -> None:
        """Read the request; `pid` is the ID of this process on the machine."""
        self.spec = LabSpec(**request["spec"])
        self.folder = Path(request["folder"])
        self.report = socket.socket(fileno=request["report"])
        self.site = LabSite(self.spec, self.folder, rootless=request["rootless"])
        self.services: list[Service] = []
        self.state: dict[str, Any] = {
            "version": 1,
            "spec": self.spec.to_json(),
            "pid": pid,
            "start": namespaces.start_time(pid),
            "boot": namespaces.boot_id(),
            "rootless": request["rootless"],
            "begun_ns": time.time_ns(),
            "ready": False,
            "hosts": {},
            "facts": {},
        }

    def say(self, **line: Any) -> None:
        """Send the caller a line of JSON.

        Raises:
            BrokenPipeError: The caller has ended.
        """
        self.report.sendall(json.dumps(line).encode() + b"\n")

    def save(self) -> None:
        """Write the state file atomically."""
        draft = self.folder / "state.json.new"
        draft.write_text(json.dumps(self.state, indent=1))
        draft.replace(self.folder / "state.json")

    def build(self) -> None:
        """Build the whole lab.

        Raises:
            LabError, OSError: Something failed; ending the process cleans up.
        """
        self.save()
        self.say(progress="network")
        kinds = services(self.spec)
        self._store(kinds[0])
        wires.prepare(self.spec)
        self.site.run(None, ["ip", "-batch", "-"], text=wires.switch_commands(self.spec))
        network.offloads_off(wires.switch_devices(self.spec))
        self._servers()
        filesystem = kinds[0](self.site)
        assert isinstance(filesystem, Filesystem)
        self.say(progress=f"file system ({self.spec.fs})")
        self._start(filesystem)
        self._nodes(filesystem)
        for kind in kinds[1:]:
            self.say(progress=kind.name)
            self._start(kind(self.site))
        self.state["ready"] = True
        self.save()

    def _store(self, kind: type[Service]) -> None:
        """Mount the store, unless the file system has a store of its own."""
        assert issubclass(kind, Filesystem)
        if kind.own_store:
            return
        folder = self.site.store
        if self.spec.store != "disk":
            size = store.size_of(self.spec, "ram")
            self.state["store_bytes"] = size
            store.mount_ram(folder, size, self.spec.name)
        if self.spec.store == "ram":
            return
        if self.spec.store == "both":
            for name in ("ram", "disk"):
                (folder / name).mkdir()
                (folder / name).chmod(0o777)
            folder /= "disk"
        size = store.size_of(self.spec, "disk")
        self.state.setdefault("store_bytes", size)
        image = store.make_disk_folder(self.spec.name) / "store.img"
        store.make_image(image, size)
        device = store.attach_image(image, folder)
        self.state |= {"device": device, "written": store.written(device)}
        self.save()

    def _servers(self) -> None:
        """Start the file servers, each behind a link of its data rate."""
        numbered = network.servers(self.spec)
        holders = [Holder(name, number, self.site, hide_store=False) for name, number in numbered]
        self._plug(holders)
        self.site.servers = tuple(holder.host for holder in holders)
        self.site.storage = self.site.servers[0]
        for holder, bits in zip(holders, self.spec.server_rates, strict=True):
            self._limit(None, network.shape_storage_port(self.spec, holder.number, bits))
            self._limit(holder.host, network.shape_storage_host(self.spec, bits))

    def _start(self, service: Service) -> None:
        """Start a service, and write its facts to the state file at once."""
        self.services.append(service)
        try:
            service.start()
        finally:
            with contextlib.suppress(Exception):
                self.state["facts"][service.name] = service.facts()
                self.save()

    def _plug(self, holders: list[Holder]) -> None:
        """Connect the hosts to the switches, and wait until they are set up."""
        lines: list[str] = []
        for holder in holders:
            lines += wires.cable_commands(self.spec, holder.number, holder.host.pid)
        self.site.run(None, ["ip", "-batch", "-"], text=lines)
        for holder in holders:
            number = holder.number
            network.offloads_off([network.port("s", number), wires.port(self.spec, number)])
        for holder in holders:
            holder.go_on()
        for holder in holders:
            holder.wait()
            self.state["hosts"][holder.host.name] = holder.host.pid

    def _shape_nodes(self, holders: list[Holder]) -> None:
        """Set the rates of the links between the nodes, once all are connected."""
        self._limit(None, wires.shape_switches(self.spec))
        self._limit(self.site.storage, wires.shape_host(self.spec, network.STORAGE_NUMBER))
        for holder in holders:
            self._limit(holder.host, wires.shape_host(self.spec, holder.number))

    def _limit(self, host: Host | None, lines: list[str]) -> None:
        if lines:
            self.site.run(host, ["tc", "-batch", "-"], text=lines)

    def _nodes(self, filesystem: Filesystem) -> None:
        """Start the nodes, and mount the file system on each."""
        self.say(progress=f"{self.spec.nodes} nodes")
        numbered = network.numbered(self.spec)
        hide = filesystem.networked
        holders = [Holder(name, number, self.site, hide_store=hide) for name, number in numbered]
        self._plug(holders)
        self._shape_nodes(holders)
        self.site.nodes = tuple(holder.host for holder in holders)
        for node in self.site.nodes:
            self.say(progress=f"mount on {node.name}")
            filesystem.mount(node)
            if not hide:
                self.site.run(node, ["umount", "-l", str(self.site.store)])

    def watch(self) -> None:
        """Wait for the order to end; reap orphaned processes of the lab meanwhile."""
        wanted = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
        while True:
            number = signal.sigwait(wanted)
            if number != signal.SIGCHLD:
                return
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    continue

    def stop(self) -> None:
        """Stop the services in reverse order, then flush the store."""
        for service in reversed(self.services):
            with contextlib.suppress(Exception):
                service.stop()
        with contextlib.suppress(OSError):
            namespaces.unmount(self.site.store)
        os.sync() if self.spec.store != "ram" else None


def serve(request: dict[str, Any], pid: int) -> int:
    """Build the lab, report, and wait for the order to end; return the exit status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})
    supervisor = Supervisor(request, pid)
    try:
        prepare_mounts()
        namespaces.set_host_name(network.SWITCHES)
        supervisor.build()
        supervisor.say(ready=True)
        if not supervisor.report.recv(16):
            raise BrokenPipeError  # the caller has ended, so no process knows of this lab
    except (JostleError, OSError, ValueError, AssertionError) as error:
        supervisor.stop()
        hint = getattr(error, "hint", "")
        with contextlib.suppress(OSError):
            supervisor.say(error=str(error) or type(error).__name__, hint=hint)
        return 1
    supervisor.report.close()
    supervisor.watch()
    supervisor.stop()
    return 0


def main() -> int:
    """Enter new namespaces; a child, process 1 of the lab, does the rest."""
    request = json.loads(sys.argv[1])
    uid, gid = os.geteuid(), os.getegid()
    user = namespaces.NEWUSER if request["rootless"] else 0
    report = socket.socket(fileno=os.dup(request["report"]))
    try:
        namespaces.unshare(_NAMESPACES | user)
        if user:
            namespaces.map_own_user(uid, gid)
    except OSError as error:
        hint = "Run as root." if user else "Namespaces need root, and a kernel that supports them."
        line = {"error": f"This machine allows no namespaces: {error}", "hint": hint}
        report.sendall(json.dumps(line).encode() + b"\n")
        return 1
    report.close()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        pid = int(os.read(reader, 16) or b"0")
        os.close(reader)
        os._exit(serve(request, pid) if pid else 1)
    os.write(writer, str(child).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
