"""Finds libraries that programs of this machine's own kind can load.

A machine with 32-bit or x32 libraries, or with those of another processor, has the same file name
once for each kind; the loader takes the one of the program's own kind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def is_elf(path: str | Path) -> bool:
    """Return whether a file is a program or a library (ELF).

    Raises:
        OSError: The file cannot be read.
    """
    return bool(_kind(path))


def is_loadable(path: str | Path) -> bool:
    """Return whether a file is a library for programs of the same kind as this Python.

    The function compares what the loader compares: class (32 or 64 bits), byte order and processor.
    It returns False for a file that cannot be read.
    """
    try:
        return bool(_kind(path)) and _kind(path) == _kind("/proc/self/exe")
    except OSError:
        return False


def _kind(path: str | Path) -> bytes:
    """Return the bytes of the ELF header that distinguish kinds of programs; b"" if it has none."""
    with Path(path).open("rb") as file:
        header = file.read(20)
    return header[4:6] + header[18:20] if header[:4] == b"\x7fELF" and len(header) == 20 else b""


def find_library(name: str) -> str:
    """Return the path of the library that the loader finds for a name; "" if it finds none."""
    # `ldconfig` is in a folder that users often do not have on PATH.
    ldconfig = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if ldconfig is None:
        return ""
    try:
        known = subprocess.run(
            [ldconfig, "-p"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    paths = (line.rpartition("=> ")[2] for line in known.splitlines() if line.split()[:1] == [name])
    return next((path for path in paths if is_loadable(path)), "")
