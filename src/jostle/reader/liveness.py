"""Finds out from /proc whether the process that writes a profile still runs.

A profile is complete, and may be removed, only when its process certainly writes no more. Its
end_ns does not show that: it is written when the process begins to end, and threads, exit handlers
and a failed exec may still count after it.
"""

from __future__ import annotations

import functools
import os
import socket
import time
import uuid
from pathlib import Path

from jostle.reader.texts import clean_text
from jostle.schema.profile import END_REASONS, HEAD, HEAD_BYTES, MAGIC, Head

#: The kernel's number of the PID namespace that sees all others (PROC_PID_INIT_INO).
_FIRST_PID_NAMESPACE = 0xEFFFFFFC
#: Ticks per second of the start time in /proc/PID/stat, on every architecture.
_USER_HZ = 100
_CONTINUED, _EXEC = END_REASONS.index("continued"), END_REASONS.index("exec")


def is_alive(head: bytes, name: str) -> bool | None:
    """Return whether the process that writes a profile still runs.

    Args:
        head: The first 4096 bytes of the file.
        name: Name of the file, without its folder.

    Returns:
        False if it certainly writes no more: it has ended, or it ran before this machine's latest
        start. None if it did not report its end, and this machine cannot see whether it runs,
        since it is on another machine or in a container.
    """
    h = Head._make(HEAD.unpack_from(head))
    if h.end_ns and h.end_reason == _CONTINUED:
        return False  # the process continues with its next file
    alive = _runs(h)
    if not h.end_ns or alive is False:
        return alive
    if alive is None:
        return False  # there is no other source
    if h.end_reason == _EXEC:
        return _is_mapped(_own_number(h), name, otherwise=h.heartbeat_ns > h.end_ns)
    return True


def still_written(path: Path) -> bool:
    """Return whether the process of a profile runs, as far as this machine can check it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            head = os.pread(descriptor, HEAD_BYTES, 0)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    whole = len(head) == HEAD_BYTES and head.startswith(MAGIC)
    return whole and is_alive(head, path.name) is True


def _runs(h: Head) -> bool | None:
    """Return whether a process runs, according to /proc; None: it is not visible."""
    if h.boot_id != _own_boot_id():
        # Two machines may have one name: only processes last seen before this one started have
        # certainly ended.
        mine = clean_text(h.host) == socket.gethostname()
        return False if mine and max(h.heartbeat_ns, h.start_ns) < _own_start_ns() else None
    number = _own_number(h)
    return None if number is None else number > 0


def _own_number(h: Head) -> int | None:
    """Return a process's PID in our PID namespace; 0: it has ended; None: it is not visible."""
    if h.pid_namespace not in (0, _own_pid_namespace()):
        return _number_within(h.pid_namespace, h.pid, h.proc_start)
    running = _is_running(h.pid, h.proc_start)
    return None if running is None else h.pid if running else 0


def _number_within(namespace: int, pid: int, proc_start: int) -> int | None:
    """Search for a process of another PID namespace by its PID in that namespace.

    Returns:
        Its PID in our namespace; 0: it has ended; None: no process of that namespace is visible,
        and some processes may be hidden from us.
    """
    seen = False
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if (process / "ns" / "pid").stat().st_ino != namespace:
                continue
            seen = True
            numbers = (process / "status").read_text().partition("NSpid:")[2].split("\n", 1)[0]
            if int(numbers.split()[-1]) == pid:
                running = _is_running(int(process.name), proc_start)
                return None if running is None else int(process.name) if running else 0
        except (OSError, ValueError, IndexError):
            continue
    everything = os.geteuid() == 0 and _own_pid_namespace() == _FIRST_PID_NAMESPACE
    return 0 if seen or everything else None


def _is_running(pid: int, proc_start: int) -> bool | None:
    """Return whether a process with this PID and start time runs; None: it cannot be seen.

    Args:
        pid: The PID.
        proc_start: The start time in ticks since boot; 0: unknown, any is accepted.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return _is_hidden(pid)
    state, *rest = stat.rpartition(b")")[2].split()
    # A first thread that has ended stays as a zombie while other threads of the process go on.
    if state == b"X" or (state == b"Z" and int(rest[16]) <= 1):
        return False
    began = int(rest[18])
    if proc_start in (0, began):
        return True
    try:  # the time is from the clock of its time namespace, which may differ from ours
        moved = _clock_offset(str(pid)) - _clock_offset("self")
    except OSError:
        return False
    return moved != 0 and abs(proc_start - began - moved) <= 1


def _is_hidden(pid: int) -> bool | None:
    """Return False if a process has ended, None if it may run hidden (/proc with hidepid)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return None
    return None if Path(f"/proc/{pid}").exists() else False


def _clock_offset(process: str) -> int:
    """Return how many ticks a process's clock of the time since boot is ahead of ours."""
    for line in Path(f"/proc/{process}/timens_offsets").read_text().splitlines():
        clock, seconds, nanoseconds = line.split()
        if clock == "boottime":
            return int(seconds) * _USER_HZ + int(nanoseconds) * _USER_HZ // 10**9
    return 0


def _is_mapped(pid: int | None, name: str, *, otherwise: bool) -> bool:
    """Return whether a process has a profile mapped, which a successful exec would have ended.

    Args:
        pid: PID of the process.
        name: Name of the profile, without its folder.
        otherwise: The result if the mappings of the process cannot be read.
    """
    try:
        maps = Path(f"/proc/{pid}/maps").read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return otherwise
    return f"/{name}".encode() in maps


@functools.cache
def _own_boot_id() -> bytes:
    try:
        return uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip()).bytes
    except (OSError, ValueError):
        return b""


def _own_start_ns() -> int:
    """Return when this machine started (CLOCK_REALTIME, ns)."""
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _own_pid_namespace() -> int:
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0
