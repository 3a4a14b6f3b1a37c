"""Lists the mounts that this process sees, from the kernel's mountinfo."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

_OCTAL = re.compile(rb"\\([0-7]{3})")


class MountPoint(NamedTuple):
    """A mount; texts that are not UTF-8 are as os.fsdecode returns them.

    Attributes:
        path: Mount point.
        kind: Type of the file system.
        source: Device, or server and path, that is mounted.
        major: Major number of its device.
        minor: Minor number of its device.
    """

    path: str
    kind: str
    source: str
    major: int
    minor: int


def mount_points() -> list[MountPoint]:
    """Return the mounts of this process, in the kernel's order.

    Raises:
        OSError: /proc cannot be read.
    """
    return parse_mounts(Path("/proc/self/mountinfo").read_bytes())


def parse_mounts(content: bytes) -> list[MountPoint]:
    """Parse a mountinfo; lines of another form are left out.

    The kernel writes names as they are, but for a space, tab, line end and backslash in them, which
    become three octal digits.
    """
    found = []
    for line in content.split(b"\n"):
        left, _, right = line.partition(b" - ")
        fields, tail = left.split(b" "), right.split(b" ")
        if len(fields) > 4 and len(tail) > 1:
            major, _, minor = fields[2].partition(b":")
            texts = (_text(fields[4]), _text(tail[0]), _text(tail[1]))
            found.append(MountPoint(*texts, int(major), int(minor)))
    return found


def _text(field: bytes) -> str:
    return os.fsdecode(_OCTAL.sub(lambda digits: bytes([int(digits[1], 8) & 255]), field))
