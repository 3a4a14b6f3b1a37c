"""Runs GlusterFS in a lab without its management daemon: a brick per server, clients per node.

glusterd, which a site needs for its volumes, keeps state in /var/lib and takes seconds. It
starts brick servers and clients, each of which reads a description of its stack of translators.
Here these descriptions are written directly, and the file system is up in a tenth of a second.

With several servers, each file is whole on one of them. A volume of GlusterFS has one rule that
chooses this server, so there are two volumes on the same bricks. In the shared folder, a hash of
the file's name chooses the server. In the folder `by-node` in it, the node that creates the file
does (translator NUFA, with one client stack for each node).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from jostle_lab.cluster.service import Filesystem, Host, Need
from jostle_lab.cluster.spec import LabSpec
from jostle_lab.cluster.watch import listens, mounted

_PORT = 24007

_BRICK = """\
volume posix-{name}
  type storage/posix
  option directory {folder}
end-volume

volume locks-{name}
  type features/locks
  subvolumes posix-{name}
end-volume

volume {name}
  type performance/io-threads
  option thread-count 16
  subvolumes locks-{name}
end-volume

"""

_SERVER = """\
volume server
  type protocol/server
  option transport-type tcp
  option transport.address-family inet
  option transport.socket.bind-address {address}
  option transport.socket.listen-port {port}
  option volfile-id brick
{allow}
  subvolumes {volumes}
end-volume
"""

# No write-behind, no read-ahead, no cache: a write has been sent when it returns.
_CLIENT = """\
volume {name}
  type protocol/client
  option transport-type tcp
  option transport.address-family inet
  option remote-host {address}
  option remote-port {port}
  option remote-subvolume {brick}
end-volume

"""

_BY_NAME = """\
volume shared
  type cluster/distribute
  subvolumes {servers}
end-volume
"""

_BY_NODE = """\
volume shared
  type cluster/nufa
  option local-volume-name {own}
  subvolumes {servers}
end-volume
"""


class Gluster(Filesystem):
    """A GlusterFS brick on each file server, and the FUSE mounts of the nodes."""

    name = "gluster"
    # Bricks keep their identifiers in `trusted` attributes, which only root may write.
    needs_root = True
    needs: ClassVar[tuple[Need, ...]] = (
        Need("glusterfsd", "glusterfs-client"),  # installed with the client, from glusterfs-common
        Need("glusterfs", "glusterfs-client"),
    )

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why GlusterFS cannot be mounted here (no FUSE), or None if it can."""
        if not Path("/dev/fuse").is_char_device():
            return "this kernel has no FUSE (/dev/fuse is missing; modprobe fuse)"
        return None

    def start(self) -> None:
        """Start the bricks; return when they listen: a client that connects earlier waits 3 s."""
        self._folder.mkdir()
        for server in self.site.servers:
            stack = self._folder / f"{server.name}.vol"
            stack.write_text(self._brick(server))
            words = ["glusterfsd", "--no-daemon", f"--volfile={stack}", *self._log]
            self.site.spawn(server, words, log=f"gluster-brick-{server.name}")
        for server in self.site.servers:
            self.site.wait_for(partial(listens, server, _PORT), f"the brick of {server.name}")

    def _brick(self, server: Host) -> str:
        """Make a server's folders, and return its stack of translators."""
        parts = []
        for volume in self._volumes:
            folder = self.site.store / f"{server.name}-{volume}"
            folder.mkdir(mode=0o777)
            folder.chmod(0o777)
            parts.append(_BRICK.format(name=volume, folder=folder))
        allow = "\n".join(f"  option auth.addr.{volume}.allow 10.*" for volume in self._volumes)
        parts.append(
            _SERVER.format(
                address=server.storage_address,
                port=_PORT,
                allow=allow,
                volumes=" ".join(self._volumes),
            )
        )
        return "".join(parts)

    def mount(self, node: Host) -> None:
        """Mount the file system on a node without a page cache: all data crosses the links."""
        site = self.site
        names = site.spec.server_names
        servers = " ".join(names)
        rule = _BY_NAME.format(servers=servers) if len(names) > 1 else ""
        self._mount(node, "by-name", site.shared, self.source, rule)
        if rule:
            site.run(
                node, ["mkdir", "-pm", "777", *(f"{site.shared}/{s}" for s in site.spec.stores)]
            )
            own = names[site.spec.node_names.index(node.name) % len(names)]
            rule = _BY_NODE.format(own=own, servers=servers)
            self._mount(node, "by-node", site.shared / "by-node", f"{self.source}by-node", rule)

    def _mount(self, node: Host, volume: str, place: Path, source: str, rule: str) -> None:
        """Mount a volume; the rule determines which of several servers a file is on."""
        site = self.site
        stack = self._folder / f"{node.name}-{volume}.vol"
        clients = (
            _CLIENT.format(
                name=server.name, address=server.storage_address, port=_PORT, brick=volume
            )
            for server in site.servers
        )
        stack.write_text("".join(clients) + rule)
        site.spawn(
            node,
            [
                "glusterfs",
                "--no-daemon",
                f"--volfile={stack}",
                "--direct-io-mode=enable",
                # The source of the mount becomes glusterfs:ID.
                f"--volfile-id={source}",
                *self._log,
                str(place),
            ],
            log=f"gluster-{node.name}-{volume}",
        )
        site.wait_for(
            lambda: mounted(node, place, "fuse.glusterfs"), f"the GlusterFS mount of {node.name}"
        )
        # The first look-up contacts the bricks.
        site.run(node, ["stat", "--file-system", str(place)])

    @property
    def _volumes(self) -> tuple[str, ...]:
        return self.site.spec.stores or ("by-name",)

    @property
    def _folder(self) -> Path:
        return self.site.folder / "gluster"

    @property
    def _log(self) -> list[str]:
        return ["--log-file=/dev/stdout", "--log-level=WARNING"]
