"""System calls for namespaces that Python 3.11 does not have."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

NEWNS = 0x00020000
NEWUTS = 0x04000000
NEWIPC = 0x08000000
NEWUSER = 0x10000000
NEWPID = 0x20000000
NEWNET = 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
MNT_DETACH = 0x2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = (
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_ulong,
    ctypes.c_char_p,
)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Move this process into new namespaces. A new PID namespace applies from its next child on.

    Raises:
        OSError: The kernel refuses.
    """
    _checked(_libc.unshare(flags), "unshare")


def mount(
    source: str | Path, target: str | Path, kind: str = "", flags: int = 0, data: str = ""
) -> None:
    """Mount a file system, or bind a path.

    Raises:
        OSError: The kernel refuses; the error names the target.
    """
    arguments = (os.fsencode(source), os.fsencode(target), kind.encode(), flags, data.encode())
    _checked(_libc.mount(*arguments), f"mount on {target}")


def unmount(target: str | Path, flags: int = MNT_DETACH) -> None:
    """Unmount a path (lazily).

    Raises:
        OSError: Nothing is mounted there, or the kernel refuses.
    """
    _checked(_libc.umount2(os.fsencode(target), flags), f"unmount {target}")


def set_host_name(name: str) -> None:
    """Set the host name in this UTS namespace."""
    _checked(_libc.sethostname(name.encode(), len(name.encode())), "sethostname")


def map_own_user(uid: int, gid: int) -> None:
    """Become root in the new user namespace; pass the ids that were valid before it."""
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def start_time(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None if it does not exist."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    state, *rest = stat.rpartition(b")")[2].split()
    return None if state in (b"Z", b"X") else int(rest[18])


def boot_id() -> str:
    """Return the id of the current boot of the kernel."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def open_host(pid: int) -> list[tuple[int, int]]:
    """Return (descriptor, kind) of the namespaces of a host of the lab."""
    parts = (("net", NEWNET), ("uts", NEWUTS), ("mnt", NEWNS))
    return [(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY), kind) for name, kind in parts]


def enter(entries: list[tuple[int, int]]) -> None:
    """Join namespaces.

    Raises:
        OSError: The kernel refuses.
    """
    for entry, kind in entries:
        _checked(_libc.setns(entry, kind), "setns")
