"""A repository in a folder, of one machine or of a shared file system."""

from __future__ import annotations

import contextlib
import errno
import os
import uuid
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from jostle.repository.store.durable import sync_folder
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import COMMITS, MERGED, TABLES

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class FolderStorage:
    """A folder: `root` is the place itself (see `model.Storage`)."""

    is_remote = False

    def __init__(self, root: Path) -> None:
        """Touch nothing yet."""
        self.root = root
        self.name = str(root)

    def catch_up(self, after: int) -> None:
        """Do nothing: commits are there."""

    def take_name(self, temporary: Path, name: str) -> bool:
        """Give a file its name by link(2), which fails where the name is taken."""
        final = self.root / name
        try:
            os.link(temporary, final)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if final.exists():  # no hard links here: the lock must do
                return False
            os.rename(temporary, final)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        return True

    def replace(self, name: str, data: bytes) -> None:
        """Write a hint."""
        temporary = self.root / name
        temporary = temporary.with_name(f".{uuid.uuid4().hex}")
        with contextlib.suppress(OSError):
            temporary.write_bytes(data)
            os.rename(temporary, self.root / name)

    def publish(self, names: Collection[str]) -> None:
        """Sync the folders of new files, which are synced themselves."""
        for folder in {(self.root / name).parent for name in names}:
            sync_folder(folder)

    def bring(self, names: Iterable[str], sums: Iterable[str] = ()) -> None:
        """Do nothing: files are there."""

    def remove(self, names: Collection[str]) -> None:
        """Remove files."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.root / name).unlink(missing_ok=True)

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some files exist."""
        return all((self.root / name).exists() for name in names)

    def leave(self, names: Collection[str]) -> None:
        """Start the time of grace of files, which is counted from when they were touched."""
        for name in names:
            with contextlib.suppress(OSError):
                os.utime(self.root / name)

    def strays(self, named: Any, older_than_s: float, now_s: float) -> Iterator[str]:
        """Return files that no commit names, of crashes and merges, once they are old."""
        for place in (*TABLES, COMMITS, MERGED):
            for folder, _, names in os.walk(self.root / place):
                for name in names:
                    path = Path(folder) / name
                    relative = path.relative_to(self.root).as_posix()
                    if relative in named or (place not in TABLES and not name.startswith(".")):
                        continue
                    with contextlib.suppress(OSError):
                        if path.stat().st_mtime < now_s - older_than_s:
                            yield relative

    def sources(self, files: Iterable[File]) -> list[str]:
        """Return the paths of files."""
        return [str(self.root / file.path) for file in files]

    def forget(self, name: str) -> bool:
        """Return False: there is no other copy."""
        return False
