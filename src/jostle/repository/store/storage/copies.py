"""Local copies of files that were fetched from an object store."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from jostle.repository.store.layout import TABLES

#: Most bytes of copies, and share of the disk's free bytes.
_MOST_BYTES, _SHARE = 32 << 30, 0.25
#: A copy that was used within this time is kept: a query may be reading it.
_IN_USE_S = 300.0
_LOOK_EVERY_S = 30.0


def copies_folder(name: str) -> Path:
    """Return the folder with this user's copies of the repository that has an address."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    who = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    folder = Path(caches) / "jostle" / "objects" / who
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class Copies:
    """The local copies of one repository; removes the least recently used ones."""

    def __init__(self, root: Path) -> None:
        """Create the object without reading any files."""
        self._root = root
        self._looked = 0.0

    def use(self, name: str) -> bool:
        """Return whether there is a copy of a file; if so, note that it is used now."""
        try:
            os.utime(self._root / name)
        except OSError:
            return False
        return True

    def make_room(self, kept: Collection[str]) -> None:
        """Remove copies of tables until the rest is within the limits.

        Args:
            kept: Names of copies that are needed now.
        """
        if time.monotonic() < self._looked + _LOOK_EVERY_S:
            return
        self._looked = time.monotonic()
        copies = []
        for table in TABLES:
            for folder, _, names in os.walk(self._root / table):
                for name in names:
                    path = Path(folder) / name
                    with contextlib.suppress(OSError):
                        status = path.stat()
                        copies.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in copies)
        free = shutil.disk_usage(self._root).free
        most = min(_MOST_BYTES, (free + total) * _SHARE)
        for used, size, path in sorted(copies):
            if total <= most or used > time.time() - _IN_USE_S:
                break
            if path.relative_to(self._root).as_posix() not in kept:
                with contextlib.suppress(OSError):
                    path.unlink()
                    total -= size
