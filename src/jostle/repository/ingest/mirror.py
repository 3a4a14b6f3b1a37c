"""Lists the files of spools and of mirrors (copies of nodes' spools), with their owners.

A mirror holds files that a receiver got from other machines (docs/reference/receive.md). Here the
receiver owns them; names in the mirror show who owns them on their machine, and whether they are
complete:

    MIRROR/jostle-mirror.json       marks the folder as a mirror
    MIRROR/NODE/UID/NAME            a file of the user with that uid
    MIRROR/NODE/UID/NAME.over       an empty file: NAME is complete, since its process has ended
    MIRROR/NODE/UID/again-ID/NAME   another file with the same name
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from jostle.reader import Origin
from jostle.repository.errors import RepositoryError
from jostle.repository.ingest.spool import HeaderPeek
from jostle.repository.types import IngestReport

MARKER = "jostle-mirror.json"
OVER = ".over"
#: Ending of facts of batch jobs.
FACTS = ".jsb"
#: Endings of profiles.
ENDINGS = (".jst", ".jss", ".jsp", ".jsm")
_MOST_UID = 2**32 - 2
# Time without data after which a machine counts as gone, with all that ran on it.
_GONE_S = 7 * 86_400.0


def create_mirror(folder: Path) -> None:
    """Make a folder a mirror, unless it is one already.

    Raises:
        RepositoryError: The folder has other content, or cannot be written.
    """
    marker = folder / MARKER
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if marker.exists():
            return
        if any(folder.iterdir()):
            raise RepositoryError(
                f"{folder} is not a mirror, and it is not empty.",
                hint="Name a different folder, or one that does not exist yet.",
                exit_code=2,
            )
        marker.write_text(json.dumps({"format": "jostle-mirror", "version": 1}) + "\n")
        marker.chmod(0o600)
    except OSError as error:
        raise RepositoryError(
            f"{folder} cannot be made a mirror ({os.strerror(error.errno or 0)}).",
            hint="Check that you own it, and that there is free space.",
        ) from error


def is_placed(path: Path) -> bool:
    """Return whether a file that is named directly is in a mirror."""
    user = path.parent.parent if path.parent.name.startswith("again-") else path.parent
    return _is_user(user) and (user.parent.parent / MARKER).is_file() and not path.is_dir()


def placed_origin(path: Path) -> Origin:
    """Return the facts from a mirror about one of its files."""
    user = path.parent.parent if path.parent.name.startswith("again-") else path.parent
    over = path.with_name(path.name + OVER).exists()
    if not over:
        with contextlib.suppress(OSError):
            over = is_gone(path.lstat().st_mtime)
    return Origin(int(user.name), over, user.parent.name)


def _is_user(folder: Path) -> bool:
    return folder.name.isdecimal() and int(folder.name) <= _MOST_UID


def is_gone(changed_s: float) -> bool:
    """Return whether a file's machine counts as gone, by the time of the file's last change."""
    return time.time() - changed_s > _GONE_S


def forget_file(path: Path) -> None:
    """Remove what a mirror keeps for a removed file: NAME.over, and its folder again-ID."""
    with contextlib.suppress(OSError):
        path.with_name(path.name + OVER).unlink()
    if path.parent.name.startswith("again-"):
        with contextlib.suppress(OSError):
            path.parent.rmdir()


def user_folders(mirror: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the folder of each user of each node, with it and with each folder in it."""
    for node in _folders(mirror):
        for user in _folders(node):
            if _is_user(user):
                for folder in (user, *_folders(user)):
                    yield user, folder


def _folders(folder: Path) -> list[Path]:
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    return []


def once(peek: HeaderPeek, names: dict[int, Path], report: IngestReport) -> HeaderPeek | None:
    """Accept a file with several hard links once, under the name that was found first.

    The reader refuses it later if it has links outside this folder (ReadRequest.names).

    Args:
        peek: The file.
        names: By inode, the first name of each file; a new file is added.
        report: The report to which a warning for each further name is added.

    Returns:
        The file, with the number of its links in this folder; None: it was accepted already.
    """
    inode = peek.mark[0]
    first = names.setdefault(inode, peek.path)
    if first != peek.path:
        report.warnings.append(f"{peek.path} is another name of {first} (a hard link); left out.")
        return None
    here = 0
    for path in peek.path.parent.iterdir():
        with contextlib.suppress(OSError):
            here += path.lstat().st_ino == inode
    return replace(peek, names=here)


def report_locked(locked: Sequence[Path], others: Collection[object], report: IngestReport) -> None:
    """Report profiles that may not be read; fail if there are no profiles that may be read."""
    if not locked:
        return
    hint = "Profiles belong to the user who ran the program: be that user, or root."
    if not others:
        raise RepositoryError(f"No permission to read {_names(locked)}.", hint=hint)
    report.warnings.append(f"No permission to read {_names(locked)}; left out. {hint}")


def _names(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1} more profiles" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"
