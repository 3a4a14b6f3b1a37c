"""The store, bound into every node: no server, no network; needs no package and no root."""

from __future__ import annotations

from typing import ClassVar

from jostle_lab.cluster.service import Filesystem, Host


class Plain(Filesystem):
    """The store, bound into every node: shared, with no limited rate."""

    name = "plain"
    needs_root = False
    networked: ClassVar[bool] = False

    def start(self) -> None:
        """Do nothing: there is no server."""

    def mount(self, node: Host) -> None:
        """Bind the store."""
        self.site.run(node, ["mount", "--rbind", str(self.site.store), str(self.site.shared)])
