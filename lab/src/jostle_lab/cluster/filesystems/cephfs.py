"""Runs CephFS in a lab: monitor and metadata server on the storage, object servers on own hosts.

Host `storage` runs the monitor and the metadata server, `storage2`, `storage3`, ... one object
server each, every host behind its own limited link. Nodes mount with ceph-fuse, with the caches and
locks (capabilities) that clients of CephFS have. All are plain processes of the lab in the
foreground: they end with it.

RATIONALE: no authentication, since the lab's network ends at its own namespaces; one copy of every
object, since nothing outlives a lab; no manager, since nothing here needs one and it takes 300 MB.
All commands to the monitor are one script for one `ceph` process: each start takes a second.
"""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from jostle_lab.cluster import store, throttle
from jostle_lab.cluster.filesystems import loop
from jostle_lab.cluster.service import Filesystem, Host, Need, Site
from jostle_lab.cluster.spec import LabError, LabSpec, parse_rate
from jostle_lab.cluster.watch import mounted

#: Folder of a host with the admin sockets of its own daemons, where its agent looks for them.
SOCKETS = "ceph"
_MONITOR_PORT = 3300
_START_S = 60
#: Share of the store that object servers may fill; the monitor's data and metadata need the rest.
_BLOCKS_OF_STORE = 0.8
#: Share of the object servers' space that files may fill.
_FILES_OF_BLOCKS = 0.75
_SMALLEST_BLOCK = 256 << 20

_CONFIG = """\
[global]
fsid = {fsid}
mon host = v2:{monitor}:{port}
auth cluster required = none
auth service required = none
auth client required = none
ms bind ipv6 = false
ms bind msgr1 = false
ms async op threads = 2
osd pool default size = 1
osd pool default min size = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
run dir = {folder}
admin socket = {folder}/$name.asok
pid file =
log file =
log to file = false
log to stderr = true
err to stderr = true
debug none = 0/0
crash dir = {folder}

[mon]
mon data = {data}/monitor
mon cluster log to file = false
mon cluster log to stderr = false
mon data avail crit = 1
mon data avail warn = 1
mon osd min down reporters = 1

[osd]
osd data = {data}/object-server-$id
osd objectstore = bluestore
bluestore block create = true
bluestore block size = {block}
bluestore block preallocate file = false
osd memory target = 939524096
osd memory cache min = 33554432
osd class update on start = false
osd op num shards = 2
osd scrub begin hour = 0
osd scrub end hour = 1
osd scrub load threshold = 0

[mds]
mds cache memory limit = 134217728

[client]
client oc size = 67108864
client oc max dirty = 33554432
client mount timeout = 60
fuse disable pagecache = false
"""


# Without a manager nothing adds up the free space, and clients would report none: with a quota they
# report what is left of it.
_SET_QUOTA = (
    "import os, sys; os.setxattr(sys.argv[1], 'ceph.quota.max_bytes', sys.argv[2].encode())"
)


class Cephfs(Filesystem):
    """The servers of a CephFS, and the FUSE mounts of the nodes."""

    name = "cephfs"
    needs: ClassVar[tuple[Need, ...]] = (
        Need("ceph-mon", "ceph-mon"),
        Need("ceph-osd", "ceph-osd"),
        Need("ceph-mds", "ceph-mds"),
        Need("ceph-fuse", "ceph-fuse"),
        Need("ceph", "ceph-common"),
        Need("monmaptool", "ceph-base"),
    )

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why CephFS cannot be mounted here (no FUSE), or None if it can."""
        if not Path("/dev/fuse").is_char_device():
            return "this kernel has no FUSE (/dev/fuse is missing; modprobe fuse)"
        return loop.Loop.check(spec) if spec.device_rate else None

    def __init__(self, site: Site) -> None:
        """Keep the site's description; start nothing."""
        super().__init__(site)
        self._limit: throttle.Throttle | None = None
        self._devices: list[io.FileIO] = []

    def start(self) -> None:
        """Start the servers and create the file system; return when it is active."""
        self._check_store()
        self._folder.mkdir()
        self._configure()
        if self.site.spec.device_rate:
            self._limit_devices()
        self._start_monitor()
        self._start_object_servers()
        self._make_file_system()

    def mount(self, node: Host) -> None:
        """Mount the file system on a node; the first mount opens the root to all users."""
        site = self.site
        words = [
            "ceph-fuse",
            *self._words(f"client.{node.name}"),
            "-f",
            str(site.shared),
            "-o",
            f"fsname={self.source},subtype=ceph-fuse",
        ]
        self._show(node, f"client.{node.name}")
        site.spawn(node, words, log=f"ceph-client-{node.name}")
        site.wait_for(
            lambda: mounted(node, site.shared, "fuse.ceph-fuse"),
            f"the CephFS mount of {node.name}",
            timeout=_START_S,
        )
        if node is site.nodes[0]:
            site.run(node, ["chmod", "777", str(site.shared)])
            site.run(
                node, [sys.executable, "-ISc", _SET_QUOTA, str(site.shared), str(self._room())]
            )

    def _check_store(self) -> None:
        """Refuse a store without direct access, which object servers need.

        Raises:
            LabError: The store has no direct access, like memory file systems of kernels before
                6.6.
        """
        probe = self.site.store / "probe"
        try:
            os.close(os.open(probe, os.O_CREAT | os.O_RDWR | os.O_DIRECT, 0o600))
        except OSError as error:
            raise LabError(
                "Object servers need direct access to their files, which this kernel's memory "
                f"file system refuses ({error.strerror}).",
                hint="--store disk",
            ) from error
        probe.unlink()

    def _configure(self) -> None:
        fsid = str(uuid.uuid4())
        status = os.statvfs(self.site.store)
        room = int(status.f_bavail * status.f_frsize * _BLOCKS_OF_STORE)
        block = room // len(self._object_servers) // 4096 * 4096
        if block < _SMALLEST_BLOCK:
            least = int(_SMALLEST_BLOCK * len(self._object_servers) / _BLOCKS_OF_STORE) >> 20
            raise LabError(
                f"An object server would have {block >> 20} MiB of space, and needs "
                f"{_SMALLEST_BLOCK >> 20} MiB.",
                hint=f"--size {least * 5 // 4}MiB or more",
            )
        self._fsid, self._block = fsid, block
        self._config.write_text(
            _CONFIG.format(
                fsid=fsid,
                monitor=self.site.storage.storage_address,
                port=_MONITOR_PORT,
                folder=self._folder,
                data=self.site.store,
                block=block,
            )
        )

    def _limit_devices(self) -> None:
        """Put the data of each object server on a loop device of its own, with a limited rate."""
        site = self.site
        self._images.mkdir(0o700)
        numbers = []
        for i in range(len(self._object_servers)):
            image, node = self._images / f"{i}.img", self._images / str(i)
            with image.open("xb") as file:
                file.truncate(self._block)
            _, device = loop.attach(image, node, direct=True)
            image.unlink()
            self._devices.append(device)  # the device exists while it is open
            numbers.append(os.stat(node).st_rdev)
            folder = site.store / f"object-server-{i}"
            folder.mkdir()
            (folder / "block").symlink_to(node)
        groups = site.folder / "groups"
        groups.mkdir(exist_ok=True)
        rate = parse_rate(site.spec.device_rate) // 8
        self._limit = throttle.limit(numbers, rate, f"jostle-lab-{site.spec.name}", groups)

    def stop(self) -> None:
        """Remove the rate limit, so that unwritten data does not delay the end."""
        if self._limit is not None:
            self._limit.lift()

    def facts(self) -> dict[str, Any]:
        """Return the rate limit of the devices, and the paths of their images."""
        if self._limit is None:
            return {}
        return {"limit": self._limit.facts(), "images": str(self._images)}

    @classmethod
    def fix(cls, facts: Mapping[str, Any]) -> list[str]:
        """Remove the rate limit, and free a device that did not free itself."""
        done = throttle.remove(facts["limit"]) if facts.get("limit") else []
        if facts.get("images"):
            done += [f"freed {device}" for device in store.detach_images(Path(facts["images"]))]
        return done

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the data rate of the object servers' devices, and the mechanism that limits it."""
        limit = facts.get("limit")
        if not limit:
            return []
        by = "blkio of control groups" if limit["version"] == 1 else "io.max of control groups"
        rate = f"{limit['rate'] / 1e6:.0f} MB/s each, reads and writes separately, by {by}"
        return [("devices of the object servers", rate)]

    def _start_monitor(self) -> None:
        site, host = self.site, self.site.storage
        address = f"[v2:{host.storage_address}:{_MONITOR_PORT}]"
        site.run(
            host,
            ["monmaptool", "--create", "--fsid", self._fsid, "--addv", "a", address, self._map],
        )
        words = ["ceph-mon", *self._words("mon.a")]
        site.run(host, [*words, "--mkfs", "--monmap", self._map])
        site.spawn(host, [*words, "-f"], log="ceph-monitor")
        site.wait_for(
            lambda: (self._folder / "mon.a.asok").exists(), "the monitor", timeout=_START_S
        )

    def _start_object_servers(self) -> None:
        """Create the stores of all object servers at the same time, then start the servers."""
        site = self.site
        numbers = {host: str(uuid.uuid4()) for host in self._object_servers}
        self._run_commands([f"osd new {number} {i}" for i, number in enumerate(numbers.values())])
        makers = []
        for i, (host, number) in enumerate(numbers.items()):
            (site.store / f"object-server-{i}").mkdir(exist_ok=True)
            words = ["ceph-osd", *self._words(f"osd.{i}"), *self._public(host)]
            made = [*words, "--mkfs", "--osd-uuid", number, "-f"]
            makers.append(site.spawn(host, made, log=f"ceph-object-server-{i}-mkfs"))
        site.wait_for(
            lambda: all(maker.poll() == 0 for maker in makers),
            "the stores of the object servers",
            timeout=_START_S,
        )
        for i, host in enumerate(self._object_servers):
            words = ["ceph-osd", *self._words(f"osd.{i}"), *self._public(host), "-f"]
            self._show(host, f"osd.{i}")
            site.spawn(host, words, log=f"ceph-object-server-{i}")

    def _make_file_system(self) -> None:
        site, host = self.site, self.site.storage
        words = ["ceph-mds", *self._words("mds.m"), *self._public(host), "-f"]
        self._show(host, "mds.m")
        site.spawn(host, words, log="ceph-metadata-server")
        self._run_commands(
            ["osd pool create metadata 8", "osd pool create data 8", "fs new files metadata data"]
        )
        site.wait_for(self._active, "the metadata server", timeout=_START_S)

    def _active(self) -> bool:
        """Return whether the metadata server is active; before that no client can mount."""
        return bool(ask(self._folder / "mds.m.asok", "status").get("state") == "up:active")

    def _run_commands(self, commands: list[str]) -> None:
        """Send commands to the monitor from one process."""
        # One process reads all: the interactive mode of the command.
        script = "\n".join([*commands, "quit"])
        self.site.run(
            self.site.storage,
            ["sh", "-c", 'printf "%s\\n" "$1" | ceph -c "$2"', "ceph", script, str(self._config)],
            timeout=_START_S,
        )

    def _show(self, host: Host, daemon: str) -> None:
        """Link the admin socket of a host's daemon into the host's own folder for such sockets."""
        folder = self.site.local(host) / SOCKETS
        folder.mkdir(exist_ok=True)
        (folder / f"{daemon}.asok").symlink_to(self._folder / f"{daemon}.asok")

    def _room(self) -> int:
        """Return the space for files in bytes; the rest is for metadata and journals."""
        return int(self._block * len(self._object_servers) * _FILES_OF_BLOCKS)

    def _words(self, name: str) -> list[str]:
        return ["-c", str(self._config), "-n", name]

    def _public(self, host: Host) -> list[str]:
        return ["--public-addr", host.storage_address]

    @property
    def _object_servers(self) -> tuple[Host, ...]:
        return self.site.servers[1:]

    @property
    def _images(self) -> Path:
        return self.site.store / "devices"

    @property
    def _folder(self) -> Path:
        return self.site.folder / "ceph"

    @property
    def _config(self) -> Path:
        return self._folder / "ceph.conf"

    @property
    def _map(self) -> str:
        return str(self._folder / "monitors")


def ask(path: Path, command: str) -> dict[str, Any]:
    """Query a daemon of Ceph through its admin socket; return {} while it does not answer."""
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(5)
        try:
            daemon.connect(str(path))
            daemon.sendall(json.dumps({"prefix": command}).encode() + b"\0")
            with daemon.makefile("rb") as answer:
                (length,) = struct.unpack(">I", answer.read(4))
                return dict(json.loads(answer.read(length)))
        except (OSError, ValueError, struct.error):
            return {}
