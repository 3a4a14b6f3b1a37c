"""From the reader's headers to what the repository stores about processes and mounts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle.reader import Mount, ProfileHeader, ShortProcess
from jostle.reader.header import is_alive, parse_header
from jostle.repository.layout import MPI_COLUMNS, is_shared, mount_identity, process_id
from jostle.repository.tables import Source

_HEAD = 4096
# A process on another machine that was not heard of for this long is taken for dead.
_SILENT_NS = 900_000_000_000
_SILENT_SLICES = 20
# Slices before 2000 or this far ahead of our clock are a damaged or hostile file's.
_YEAR_2000_NS = 946_684_800_000_000_000
_AHEAD_NS = 86_400_000_000_000
MAX_INT = 2**63 - 1
MAX_SLOTS = 128  # the decoder's column slot has 8 bits; a hostile header may name any number
MIN_SLICE_NS, MAX_SLICE_NS = 1_000_000, 3_600_000_000_000


@dataclass(frozen=True)
class Glance:
    """What the first page of a file tells, before anything is decoded.

    Attributes:
        path: The file.
        process: Id of the process; None for a shorts file, and where only the reader can tell
            what is wrong.
        slice_ns: Slice length, ns.
        final: Nothing more will come.
        bytes: Size of the records, about.
        mark: Changes when the file does.
        job: Its job's name, as the file says.
        span: When it started, and when it ended or was last known to live (ns).
        segments: Whether it has a stream of segments.
    """

    path: Path
    process: int | None
    slice_ns: int
    final: bool
    bytes: int
    mark: tuple[int, int, int]
    job: str = ""
    span: tuple[int, int] = (0, 0)
    segments: bool = False


def glance(path: Path) -> Glance:
    """Looks at the head of a file.

    Raises:
        OSError: It cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        head = os.pread(descriptor, _HEAD, 0)
    finally:
        os.close(descriptor)
    mark = (info.st_ino, info.st_size, info.st_mtime_ns)
    if path.suffix == ".jss" or len(head) < _HEAD or not head.startswith(b"jostle01"):
        return Glance(path, None, 0, False, info.st_size, mark)
    alive = is_alive(head)
    header = parse_header(head, alive=alive)
    key = process_id(header.boot_id, header.pid, header.start_ns, header.part)
    head_bytes = int.from_bytes(head[12:16], "little")
    size = max(info.st_size - head_bytes, 0)
    over = is_over(header)
    last = max(header.end_ns, header.start_ns) if over else time.time_ns()
    if over and not header.end_ns:
        last = max(header.heartbeat_ns, header.file_ns)
    return Glance(
        path, key, header.slice_ns, over, size, mark, header.job, (header.start_ns, last),
        header.mpi_init_ns > 0,
    )  # fmt: skip


def told_by_others(found: Iterable[Path]) -> set[Path]:
    """Picks the profiles that a process above kept (*.jsp) where the process left its own.

    Args:
        found: All files of the spools.
    """
    kept: list[Path] = []
    own: dict[tuple[Path, str, str], list[Path]] = {}
    for path in found:
        if path.suffix == ".jsp":
            kept.append(path)
        elif path.suffix == ".jst":
            own.setdefault(_whose(path), []).append(path)
    return {
        path for path in kept if _proc_start(path) in map(_proc_start, own.get(_whose(path), ()))
    }


def _whose(path: Path) -> tuple[Path, str, str]:
    job, _, rest = path.name.partition(".")
    return path.parent, job, rest.partition(".")[0]


def _proc_start(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        head = os.pread(descriptor, _HEAD, 0)
    finally:
        os.close(descriptor)
    good = len(head) == _HEAD and head.startswith(b"jostle01")
    return parse_header(head, alive=None).proc_start if good else -1


def is_over(header: ProfileHeader) -> bool:
    """Tells whether nothing more will come from a process."""
    if header.alive is not None:
        return header.alive is False
    silent = time.time_ns() - max(header.heartbeat_ns, header.file_ns)
    return silent > _SILENT_NS + _SILENT_SLICES * header.slice_ns


class Devices:
    """Names the mounts of short processes, which know device numbers only."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int, int], tuple[str, str, str]] = {}
        self._boot_id, self._own = _own_mounts()

    def learn(self, header: ProfileHeader) -> None:
        """Remembers the mounts of a profile."""
        for mount in header.mounts:
            if mount.path and (mount.major or mount.minor):
                known = (mount.path, mount.type, mount.source)
                self._seen[header.host, mount.major, mount.minor] = known

    def find(self, host: str, boot_id: str, major: int, minor: int) -> tuple[str, str, str]:
        """Gives path, type and source of a device, as far as anybody told."""
        found = self._seen.get((host, major, minor))
        if found is None and boot_id == self._boot_id:
            found = self._own.get((major, minor))
        if found is None:
            found = (f"device-{major}:{minor}" if major or minor else "other", "", "")
        return found


def _own_mounts() -> tuple[str, dict[tuple[int, int], tuple[str, str, str]]]:
    mounts: dict[tuple[int, int], tuple[str, str, str]] = {}
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        lines = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return "", mounts
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, tail = left.split(), right.split()
        if len(fields) > 4 and len(tail) > 1:
            major, _, minor = fields[2].partition(":")
            mounts.setdefault((int(major), int(minor)), (fields[4], tail[0], tail[1]))
    return boot_id, mounts


def profile_source(header: ProfileHeader, devices: Devices, job: str) -> Source:
    """Describes the process of a profile, without what depends on its slices.

    Args:
        header: The profile's header.
        devices: Knows the mounts of other processes.
        job: The name that its job has in the repository.
    """
    key = process_id(header.boot_id, header.pid, header.start_ns, header.part)
    source = Source(key, job, header.host, header.slice_ns, [])
    for mount in header.mounts:
        _add_mount(source, mount, header.boot_id, header.mount_slots, devices)
    _pad(source, header.mount_slots)
    over = is_over(header)
    end = header.end_ns or (header.heartbeat_ns or header.file_ns if over else 0)
    reason = header.end_reason if header.end_ns else ("killed" if over else "")
    states = [header.start_clock_state, header.clock_state]
    errors = [header.start_clock_error_us, header.clock_error_us]
    states += [event.state for event in header.clock_events]
    errors += [event.maxerror_us for event in header.clock_events]
    steps = sum(1 for event in header.clock_events if event.step_ns)
    source.row = {
        **_common(header, key, over=over),
        "part": header.part,
        "command": header.command,
        "end_ns": end,
        "end_reason": reason,
        "clock_state": max(states),
        "clock_error_us": max(errors),
        "clock_steps": steps,
        "lost_threads": header.lost_threads,
        "notes": [note.text for note in header.notes],
        **_mpi(header),
        "job": job,
    }
    return source


def _mpi(header: ProfileHeader) -> dict[str, Any]:
    """Gives what the header says about MPI and counters; unused PAPI names are left out."""
    row = {name: getattr(header, name) for name in MPI_COLUMNS}
    row["papi_names"] = [name for name in header.papi_names if name]
    return row


def short_source(short: ShortProcess, devices: Devices, job: str) -> Source:
    """Describes a process of a shorts file; arguments as for `profile_source`."""
    key = process_id(short.header.boot_id, short.pid, short.start_ns, 0)
    source = Source(key, job, short.header.host, short.header.slice_ns, [])
    for mount in short.mounts:
        named = devices.find(source.host, short.header.boot_id, mount.major, mount.minor)
        full = Mount(mount.slot, mount.major, mount.minor, 0, mount.fs_magic, *named)
        _add_mount(source, full, short.header.boot_id, 0, devices)
    _pad(source, 8)
    source.row = {
        **_common(short, key, over=True),
        "host": short.header.host,
        "job": job,
        "boot_id": short.header.boot_id,
        "library": short.header.library,
        "slice_ns": short.header.slice_ns,
        "part": 0,
        "command": short.program,
        "end_ns": short.end_ns,
        "end_reason": short.end_reason,
        "clock_state": 0,
        "clock_error_us": 0,
        "clock_steps": 0,
        "lost_threads": 0,
        "notes": [],
        "short": True,
    }
    return source


def _common(header: Any, key: int, *, over: bool) -> dict[str, Any]:
    names = ("pid", "ppid", "uid", "gid", "sid", "program", "start_ns")
    row = {name: getattr(header, name) for name in names}
    for name in ("job", "host", "boot_id", "library", "slice_ns"):
        row[name] = getattr(header, name, "")
    return {**row, "process": key, "complete": over, "short": False}


def _add_mount(source: Source, mount: Mount, boot_id: str, slots: int, devices: Devices) -> None:
    if not 0 <= mount.slot < MAX_SLOTS:
        return
    path, kind, origin = mount.path, mount.type, mount.source
    if not path and mount.slot != slots - 1 and (mount.major or mount.minor):
        path, kind, origin = devices.find(source.host, boot_id, mount.major, mount.minor)
    identity = mount_identity(source.host, path, kind, origin)
    _pad(source, mount.slot + 1)
    source.mounts[mount.slot] = identity
    source.mount_rows.append(
        {
            "job": source.job,
            "host": source.host,
            "mount": identity,
            "path": path or "other",
            "type": kind,
            "source": origin,
            "major": mount.major,
            "minor": mount.minor,
            "shared": is_shared(kind, origin),
        }
    )


def _pad(source: Source, slots: int) -> None:
    missing = min(slots, MAX_SLOTS) - len(source.mounts)
    source.mounts.extend([f"{source.host}:other"] * missing)


def doubt(source: Source, first: int, last: int, segments: tuple[int, int] = (0, 0)) -> str:
    """Says why a process cannot be true; its slices must not be stored then.

    Args:
        source: The process.
        first: First slice of its rows.
        last: Last slice of them.
        segments: Start of its first and end of its last segment, ns; (0, 0): none.

    Returns:
        A sentence, or nothing when all is well.
    """
    row = source.row
    who = f"Process {row['pid']} of job {source.job}"
    if not MIN_SLICE_NS <= source.slice_ns <= MAX_SLICE_NS:
        return f"{who} claims slices of {source.slice_ns} ns; it is left out."
    if any(isinstance(value, int) and value > MAX_INT for value in row.values()):
        return f"{who} has absurd numbers in its header; it is left out."
    bound = time.time_ns() + _AHEAD_NS
    times = [first * source.slice_ns, last * source.slice_ns, row["start_ns"]]
    times += segments if any(segments) else ()
    if min(times) < _YEAR_2000_NS or max(*times, row["end_ns"]) > bound:
        return (
            f"{who} has slices or segments before the year 2000 or in the future; it is left out. "
            "Is the clock of its node right?"
        )
    return ""
