"""Finds the mount of each file of a Darshan log, and the identity of each mount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from jostle.imports.darshan.model import STREAM_IDS, DarshanLog
from jostle.repository.store.layout import is_shared, mount_identity

#: Mount of what is on no file system of the log: standard streams, and relative names.
NOWHERE = "other"
#: Types that forward a server's file system, whose type Darshan does not know, to all nodes.
_SHARED_ANYWAY = frozenset({"dvs"})


@dataclass(frozen=True)
class LogMounts:
    """The mounts that a log's files are on.

    Attributes:
        paths: Path and type of each mount; the last one is `NOWHERE`.
        of: Mount of each file, by the file's id.
    """

    paths: tuple[tuple[str, str], ...]
    of: Mapping[int, int]


#: Path and kind of shared mounts -> their identity, as profiles know them.
KnownMounts = Mapping[tuple[str, str], str]


def mounts_of(log: DarshanLog) -> LogMounts:
    """Find the mount of each file of a log: the one with the longest path above the file."""
    table = {path.rstrip("/") or "/": kind for path, kind in reversed(log.mounts)}
    used: dict[str, int] = {}
    of: dict[int, int] = {}
    folders: dict[str, str] = {}
    for key, name in log.names.items():
        if key in STREAM_IDS or not name.startswith("/"):
            continue
        folder = name.rpartition("/")[0] or "/"
        if folder not in folders:
            folders[folder] = _mount_path(folder, table)
        path = name if name in table else folders[folder]
        if path:
            of[key] = used.setdefault(path, len(used))
    paths = tuple((path, table[path]) for path in used)
    return LogMounts((*paths, (NOWHERE, "")), of)


def _mount_path(folder: str, table: Mapping[str, str]) -> str:
    path = PurePosixPath("/" + folder.lstrip("/"))
    for candidate in (path, *path.parents):
        if str(candidate) in table:
            return str(candidate)
    return ""


def kind_of(fs_type: str) -> str:
    """Return the kind of a file-system type, as identities of mounts contain it."""
    kind = fs_type.removeprefix("fuse.")
    return kind.removesuffix("4") if "nfs" in kind else kind


def identity(path: str, fs_type: str, host: str, job: str, known: KnownMounts) -> str:
    """Return the identity of a mount.

    Darshan does not record the source of a mount. If the mount is shared, and this repository's
    profiles have a mount with the same path and kind, it gets the identity of that mount. Any other
    shared mount gets an identity from its path, since a site mounts one file system at the same
    path on all nodes. A mount that is not shared gets one from its node, or from the job if the
    node is not known.

    Args:
        path: Path of the mount.
        fs_type: Type of its file system.
        host: Name of the node; "" where it is not known.
        job: Name of the job.
        known: Shared mounts of profiles.
    """
    if shared(fs_type):
        found = known.get((path, kind_of(fs_type)))
        named = mount_identity("", path, fs_type, path) if is_shared(fs_type) else ""
        return found or named or f"{fs_type}:{path}"
    return f"{host or job}:{path}"


def shared(fs_type: str) -> bool:
    """Return whether nodes share a file system of this type."""
    return is_shared(fs_type) or fs_type in _SHARED_ANYWAY
