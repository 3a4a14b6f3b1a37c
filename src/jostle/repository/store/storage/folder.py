"""A repository in a folder, of one machine or of a shared file system."""

from __future__ import annotations

import contextlib
import errno
import os
import time
import uuid
from collections.abc import Collection, Container, Iterable, Iterator
from pathlib import Path

from jostle.repository.store.durable import sync_folder
from jostle.repository.store.layout import COMMITS, MERGED, QUARANTINE, TABLES, is_piece

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class FolderStorage:
    """A folder: `root` is the repository itself (see `model.Storage`)."""

    is_remote = False

    def __init__(self, root: Path) -> None:
        """Create the object without accessing files."""
        self.root = root
        self.name = str(root)

    def catch_up(self, after: int) -> None:
        """Do nothing, since the commits are in the folder."""

    def take_name(self, temporary: Path, name: str) -> bool:
        """Give a file its name by link(2), which fails if the name is taken."""
        final = self.root / name
        try:
            os.link(temporary, final)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if final.exists():  # no hard links here: the lock must suffice
                return False
            os.rename(temporary, final)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        return True

    def replace(self, name: str, data: bytes) -> None:
        """Replace a hint (a small file) atomically, since readers may read it at any time."""
        temporary = (self.root / name).with_name(f".{uuid.uuid4().hex}")
        temporary.write_bytes(data)
        os.rename(temporary, self.root / name)

    def publish(self, names: Collection[str]) -> None:
        """Sync the folders of new files, which are synced already."""
        for folder in {(self.root / name).parent for name in names}:
            sync_folder(folder)

    def bring(self, names: Iterable[str], sums: Iterable[str] = ()) -> None:
        """Do nothing, since the files are in the folder."""

    def bring_folder(self, folder: str, *, now: bool) -> None:
        """Do nothing, since the files are in the folder."""

    def remove(self, names: Collection[str]) -> None:
        """Remove files."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.root / name).unlink(missing_ok=True)

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self.root / name).read_bytes()

    def holds(self, names: Collection[str]) -> bool:
        """Return whether all of some files exist."""
        return all((self.root / name).exists() for name in names)

    def leave(self, names: Collection[str]) -> None:
        """Start the time for which removed files stay: it begins at their time of change."""
        for name in names:
            with contextlib.suppress(OSError):
                os.utime(self.root / name)

    def strays(self, named: Container[str], older_than_s: float, now_s: float) -> Iterator[str]:
        """Yield files that crashes left: they are in no commit, and older than any in progress."""
        for place in (*TABLES, COMMITS, MERGED):
            for folder, _, names in os.walk(self.root / place):
                for name in names:
                    path = Path(folder) / name
                    relative = path.relative_to(self.root).as_posix()
                    counts = place in TABLES or (place == COMMITS and is_piece(name))
                    if relative in named or not (counts or name.startswith(".")):
                        continue
                    with contextlib.suppress(OSError):
                        if path.stat().st_mtime < now_s - older_than_s:
                            yield relative

    def listed(self, folder: str) -> Iterator[str]:
        """Return the files in a folder and below."""

        def fail(error: OSError) -> None:
            if not isinstance(error, FileNotFoundError):
                raise error

        for parent, _, names in os.walk(self.root / folder, onerror=fail):
            yield from ((Path(parent) / name).relative_to(self.root).as_posix() for name in names)

    def set_aside(self, name: str) -> None:
        """Move a damaged file into the quarantine."""
        aside = self.root / QUARANTINE / name
        with contextlib.suppress(OSError):  # it may be removed; one that stays is in no commit
            (self.root / name).lstat()
            aside.parent.mkdir(parents=True, exist_ok=True)
            if aside.exists():  # a file of the log may get the same name again
                aside = aside.with_name(f"{aside.name}.{time.time_ns()}")
            (self.root / name).rename(aside)

    def excludes(self) -> bool:
        """Return True: link(2) separates two writers; without hard links the lock does."""
        return True

    def forget(self, name: str) -> bool:
        """Return False, since a folder has no copies that could be fetched again."""
        return False
