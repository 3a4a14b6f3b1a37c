"""Syncs the changes of several requests to the disk together, before they are acknowledged."""

from __future__ import annotations

import ctypes
import os
import platform
import re
from collections.abc import Iterable

from jostle.receive.node_mirror import Group

#: Most files and folders that are synced one by one; for more, the whole file system is synced.
_ONE_BY_ONE = 16
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def sync_group(root: int, group: Group) -> None:
    """Write the changes of a group to the disk.

    Args:
        root: Descriptor of the mirror.
        group: The changes to write.

    Raises:
        OSError: The disk is full or broken: no request of the group may be acknowledged.
    """
    paths = {f"{node}/{path}" for node, path in group.files}
    paths |= {f"{node}/.files" for node in group.journals} | group.folders
    if len(paths) > _ONE_BY_ONE and _SYNC_REPORTS_ERRORS:
        sync_all(root)
    else:
        _sync_each(root, paths)


def sync_all(root: int) -> None:
    """Write everything of the mirror's file system to the disk.

    Raises:
        OSError: The disk is full or broken.
    """
    if _LIBC.syncfs(root):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _sync_each(root: int, paths: Iterable[str]) -> None:
    for path in paths:
        try:
            descriptor = os.open(path, _READ, dir_fd=root)
        except FileNotFoundError:  # the ingester has removed it
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sync_reports_errors() -> bool:
    """Return whether syncfs reports bytes that could not be written, as it does since Linux 5.8."""
    numbers = re.match(r"(\d+)\.(\d+)", platform.release())
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= (5, 8)


_LIBC = ctypes.CDLL(None, use_errno=True)
_SYNC_REPORTS_ERRORS = _sync_reports_errors()
