"""Runs sshfs in a lab without ssh: SFTP over plain TCP through the link with a limited rate.

Each mount has one connection, and so each node one queue on a fair link; the processes of one mount
share that connection, as they share an NFS mount. `direct_io` bypasses the page cache: a write has
been sent when it returns, so the link is measured.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import ClassVar

from jostle_lab.cluster.service import Filesystem, Host, Need
from jostle_lab.cluster.spec import LabSpec

_PORT = 2022
_SERVER = "/usr/lib/openssh/sftp-server"
_SERVERS = (_SERVER, "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server")
#: Nothing is cached on the nodes: every node sees the writes of the others at once.
_OPTIONS = "direct_io,dir_cache=no,attr_timeout=0,entry_timeout=0,allow_other"


class Sshfs(Filesystem):
    """The SFTP server on the storage, and the FUSE mounts of the nodes."""

    name = "sshfs"
    needs_root = False
    needs: ClassVar[tuple[Need, ...]] = (
        Need("sshfs", "sshfs"),
        Need("fusermount3", "fuse3"),
        Need(
            next((path for path in _SERVERS if os.path.exists(path)), _SERVER),
            "openssh-sftp-server",
        ),
    )

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why FUSE cannot be used here, or None if it can."""
        try:
            device = os.stat("/dev/fuse")
        except OSError:
            return "this kernel has no FUSE (/dev/fuse is missing; modprobe fuse)"
        if stat.S_ISCHR(device.st_mode) and os.access("/dev/fuse", os.R_OK | os.W_OK):
            return None
        return "/dev/fuse is closed to you (it needs root, or mode 666)"

    def start(self) -> None:
        """Start the server; return when its port is open."""
        site = self.site
        script = Path(__file__).with_name("sftp_port.py")
        listening = site.folder / "sftp.listening"
        address = f"{site.storage.storage_address}:{_PORT}"
        site.spawn(
            site.storage,
            [sys.executable, "-IS", str(script), address, str(listening), self.needs[-1].command],
            log="sftp",
            cwd=site.store,
        )
        site.wait_for(listening.exists, "the SFTP server")

    def mount(self, node: Host) -> None:
        """Mount the file system on a node; sshfs goes into the background when it is connected."""
        site = self.site
        options = f"directport={_PORT},fsname={self.source},{_OPTIONS}"
        where = f"{site.storage.storage_address}:{site.store}"
        site.run(node, ["sshfs", "-o", options, where, str(site.shared)])
