"""GlusterFS without its management daemon: one brick process, one client per node.

glusterd, which a site needs for its volumes, keeps state in /var/lib and takes seconds. It
starts a brick server and clients, each of which reads a description of its stack of translators.
Here these descriptions are written directly, and the file system is up in a tenth of a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from jostle.lab.service import Filesystem, Host, Need
from jostle.lab.spec import LabSpec
from jostle.lab.watch import listens, mounted

_PORT = 24007

_SERVER = """\
volume posix
  type storage/posix
  option directory {brick}
end-volume

volume locks
  type features/locks
  subvolumes posix
end-volume

volume brick
  type performance/io-threads
  option thread-count 16
  subvolumes locks
end-volume

volume server
  type protocol/server
  option transport-type tcp
  option transport.address-family inet
  option transport.socket.bind-address {address}
  option transport.socket.listen-port {port}
  option volfile-id brick
  option auth.addr.brick.allow 10.*
  subvolumes brick
end-volume
"""

# No write-behind, no read-ahead, no cache: a write has been sent when it returns.
_CLIENT = """\
volume shared
  type protocol/client
  option transport-type tcp
  option transport.address-family inet
  option remote-host {address}
  option remote-port {port}
  option remote-subvolume brick
end-volume
"""


class Gluster(Filesystem):
    """A GlusterFS brick on the storage, and its FUSE mounts."""

    name = "gluster"
    # The brick keeps its identifiers in `trusted` attributes, which only root may write.
    needs_root = True
    needs: ClassVar[tuple[Need, ...]] = (
        Need("glusterfsd", "glusterfs-client"),  # beside the client, in glusterfs-common
        Need("glusterfs", "glusterfs-client"),
    )

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why GlusterFS cannot be mounted here (no FUSE), or None."""
        if not Path("/dev/fuse").is_char_device():
            return "this kernel has no FUSE (/dev/fuse is missing; modprobe fuse)"
        return None

    def start(self) -> None:
        """Start the brick, and return when it listens: a client that comes too soon waits 3 s."""
        site = self.site
        brick = site.store / "brick"
        brick.mkdir(mode=0o777)
        brick.chmod(0o777)
        address = site.storage.storage_address
        self._folder.mkdir()
        stack = self._folder / "server.vol"
        stack.write_text(_SERVER.format(brick=brick, address=address, port=_PORT))
        self._client.write_text(_CLIENT.format(address=address, port=_PORT))
        site.spawn(
            site.storage,
            ["glusterfsd", "--no-daemon", f"--volfile={stack}", *self._log],
            log="gluster-brick",
        )
        site.wait_for(lambda: listens(site.storage, _PORT), "the GlusterFS brick")

    def mount(self, node: Host) -> None:
        """Mount on a node, without the page cache, so that the link is measured."""
        site = self.site
        site.spawn(
            node,
            [
                "glusterfs", "--no-daemon", f"--volfile={self._client}", "--direct-io-mode=enable",
                # The source of the mount becomes glusterfs:ID.
                f"--volfile-id={self.source}", *self._log, str(site.shared),
            ],
            log=f"gluster-{node.name}",
        )  # fmt: skip
        site.wait_for(
            lambda: mounted(node, site.shared, "fuse.glusterfs"),
            f"the GlusterFS mount of {node.name}",
        )
        # The first look-up goes to the brick and back.
        site.run(node, ["stat", "--file-system", str(site.shared)])

    @property
    def _folder(self) -> Path:
        return self.site.folder / "gluster"

    @property
    def _client(self) -> Path:
        return self._folder / "client.vol"

    @property
    def _log(self) -> list[str]:
        return ["--log-file=/dev/stdout", "--log-level=WARNING"]
