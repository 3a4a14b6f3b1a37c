"""Counts the mirror's bytes by node and user, and limits each to its share."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

from jostle.receive.shares import Shares


class Usage:
    """Approximate number of bytes in the mirror: counted on the disk at times, updated in between.

    Attributes:
        gaps: Number of gaps (bytes that will never arrive) that nodes reported since the start.
        files: Number of files in the mirror at the last count.
    """

    def __init__(self, node_bytes: int, user_bytes: int) -> None:
        """Start with an empty mirror.

        Args:
            node_bytes: Largest number of bytes of one node (see Shares); one user may have a
                quarter of it.
            user_bytes: Largest number of bytes of one user, on all nodes.
        """
        self._node_bytes = node_bytes
        self._user_bytes = user_bytes
        self._nodes: dict[str, Shares] = {}
        self._users: Counter[int] = Counter()
        self.gaps = 0
        self.files = 0

    @property
    def bytes(self) -> int:
        """Number of bytes in the mirror."""
        return sum(shares.total for shares in list(self._nodes.values()))

    def has_room(self, node: str, user: int, size: int) -> bool:
        """Return whether the shares of the node and of the user permit so many more bytes."""
        in_node = self._nodes.get(node) or self._new_node()
        return in_node.fits(user, size) and self._users[user] + size <= self._user_bytes

    def add(self, node: str, user: int, size: int) -> None:
        """Count bytes that were stored."""
        self._nodes.setdefault(node, self._new_node()).add(user, size)
        self._users[user] += size

    def _new_node(self) -> Shares:
        return Shares(self._node_bytes, self._node_bytes // 4)

    def count(self, mirror: Path) -> None:
        """Count the bytes on the disk again, since the ingester removes files.

        This takes long for a large mirror, so it is called in a separate thread.
        """
        shares: Counter[tuple[str, int]] = Counter()
        files = 0
        for node in _entries(mirror):
            for owner in _entries(node.path) if not node.name.startswith(".") else ():
                if not owner.name.isdigit():
                    continue
                for folder, _, names in os.walk(owner.path):
                    for name in names:
                        with contextlib.suppress(OSError):
                            size = os.lstat(f"{folder}/{name}").st_size
                            shares[node.name, int(owner.name)] += size
                            files += not name.endswith(".over")
        # Bytes that arrived meanwhile are missing until the next count.
        nodes: dict[str, Shares] = {}
        users: Counter[int] = Counter()
        for (name, user), size in shares.items():
            nodes.setdefault(name, self._new_node()).add(user, size)
            users[user] += size
        self._nodes, self._users = nodes, users
        self.files = files


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
