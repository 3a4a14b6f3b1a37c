"""Checks whether a spool has space for one more profile, before and after a run."""

from __future__ import annotations

import os
from pathlib import Path

from jostle.report.format.values import byte_count

#: Bytes of a profile of a process that has just started: its header, which is mapped as a whole.
LEAST_BYTES = 256 * 1024
FIX = "free some space there, or choose another folder: JOSTLE_SPOOL=DIR"


def reason(spool: Path) -> str:
    """Return why a spool has no space for a profile, as a part of a sentence; "" if it has space.

    Args:
        spool: Path of the spool; if it does not exist, the space is not known.
    """
    try:
        facts = os.statvfs(spool)
    except OSError:
        return ""
    free = facts.f_bavail * facts.f_frsize
    if free >= LEAST_BYTES:
        return ""
    return (
        f"the file system of the spool {spool} is full ({byte_count(free)} free, a process "
        f"needs {byte_count(LEAST_BYTES)})"
    )


def warning_before(spool: Path) -> str:
    """Return the warning that a run will not be recorded; "" if there is space."""
    full = reason(spool)
    return f"{full}: this run may not be recorded; {FIX}" if full else ""
