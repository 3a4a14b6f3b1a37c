"""Shares the store of a lab by bind mounts on every node: needs no server, package or root."""

from __future__ import annotations

from typing import ClassVar

from jostle_lab.cluster.service import Filesystem, Host


class Plain(Filesystem):
    """The store, shared by a bind mount on every node, without a rate limit."""

    name = "plain"
    needs_root = False
    networked: ClassVar[bool] = False

    def start(self) -> None:
        """Do nothing: there is no server."""

    def mount(self, node: Host) -> None:
        """Mount the store on a node by a bind mount."""
        self.site.run(node, ["mount", "--rbind", str(self.site.store), str(self.site.shared)])
