"""Writes files so that they outlive a power cut."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_durably(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it; leave nothing behind on failure."""
    try:
        with path.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make new entries of a folder durable (fsync)."""
    with contextlib.suppress(OSError):  # some file systems cannot; the names are there all the same
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
