"""Finds out from an ELF file why the runtime could not be preloaded."""

from __future__ import annotations

import os
import shutil
import stat
import struct
from pathlib import Path

from jostle.files.regular_files import open_regular

_PT_INTERP = 3


def why_no_preload(command: str, *, depth: int = 0) -> str | None:
    """Return why LD_PRELOAD cannot work for a command; None if no reason is known.

    Args:
        command: A name on PATH or a path.
        depth: Number of `#!` lines followed already.
    """
    executable = shutil.which(command)
    if executable is None:
        return None
    path = Path(executable).resolve()
    try:
        facts = path.stat()
        with open_regular(path) as file:
            head = file.read(4096)
    except OSError as error:
        return f"{path} cannot be read ({error.strerror}), so its kind is unknown"
    if facts.st_mode & (stat.S_ISUID | stat.S_ISGID) and os.geteuid() != facts.st_uid:
        return f"{path} runs with its owner's rights (setuid), so the loader ignores preloads there"
    if _has_capabilities(path):
        return f"{path} has file capabilities, so the loader ignores preloads there"
    if head[:2] == b"#!" and depth < 4:
        words = head[2:].split(b"\n", 1)[0].split()
        if words and os.path.basename(words[0]) == b"env" and len(words) > 1:
            words = words[1:]
        return why_no_preload(os.fsdecode(words[0]), depth=depth + 1) if words else None
    if head[:4] == b"\x7fELF":
        return _elf(path, head)
    return None


def _has_capabilities(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability")) and os.geteuid() != 0
    except OSError:
        return False


def _elf(path: Path, head: bytes) -> str | None:
    """Check an ELF file by its class, machine and program headers."""
    bits = {1: 32, 2: 64}.get(head[4], 0)
    order = "<" if head[5] == 1 else ">"
    if bits != struct.calcsize("P") * 8:
        return f"{path} is a {bits}-bit program and libjostle.so is not"
    if bits == 64:
        table, entry_size, entries = (
            struct.unpack_from(order + "Q", head, 32)[0],
            *struct.unpack_from(order + "HH", head, 54),
        )
    else:
        table, entry_size, entries = (
            struct.unpack_from(order + "I", head, 28)[0],
            *struct.unpack_from(order + "HH", head, 42),
        )
    for number in range(entries):
        offset = table + number * entry_size
        if offset + 4 > len(head):
            return None
        if struct.unpack_from(order + "I", head, offset)[0] == _PT_INTERP:
            return None
    return f"{path} is statically linked, so no loader runs, and no library can be preloaded"
