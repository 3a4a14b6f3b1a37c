"""Turns headers from the reader into rows about processes and mounts, and validates them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jostle.files.mounts import mount_points
from jostle.reader import Gpu, MachineHeader, Mount, Origin, ProfileHeader, ShortProcess
from jostle.reader.errors import passes
from jostle.reader.header import parse_header
from jostle.reader.liveness import is_alive
from jostle.reader.texts import boot_text, clean_text
from jostle.repository.store.layout import (
    BINDING_COLUMNS,
    GONE_NS,
    MAX_SLICE_NS,
    MPI_COLUMNS,
    SILENT_NS,
    SILENT_SLICES,
    gpu_identity,
    is_shared,
    mount_identity,
)
from jostle.repository.store.owner_names import JobNames
from jostle.repository.store.tables import ProcessSource
from jostle.schema.profile import HEAD, HEAD_BYTES, MAGIC, Head

#: Slices before 2000 or this far ahead of our clock come from a damaged or malicious file.
YEAR_2000_NS = 946_684_800_000_000_000
AHEAD_NS = 86_400_000_000_000
MAX_INT = 2**63 - 1
MAX_SLOTS = 128  # the decoder's column slot has 8 bits; a malicious header may have any number
_YEAR_NS = 31_556_952_000_000_000
#: Longest life of a process: no node runs longer without a restart.
MAX_LIFE_NS = 3 * _YEAR_NS
MAX_SLICES = 1 << 24  # 19 days of 100 ms, two years of 4 s
MIN_SLICE_NS = 1_000_000


#: Key of a process among its owner's: boot, pid, start (ns), part.
Life = tuple[str, int, int, int]
#: Differs after each change of a file, and for another file of the same name: inode, size, time
#: (ns).
Mark = tuple[int, int, int]


@dataclass(frozen=True)
class HeaderPeek:
    """The first page of a file, read before anything is decoded.

    Attributes:
        path: The file.
        life: Key of its process among its owner's: boot, pid, start (ns) and part; None
            for a file of short-lived processes, and for a file without a valid header.
        owner: The uid of its owner.
        slice_ns: Slice length, in ns.
        final: No more data is expected.
        is_dead: No more data can follow: its process had ended before it was read, or all
            of it was received. A machine that only sends nothing may come back.
        bytes: Approximate size of the records.
        mark: See `Mark`.
        job: Its job's name in the file.
        span: Its start, and its end or the last time at which it certainly ran, in ns.
        segments: Whether it has a stream of segments.
        names: Number of hard links of the file.
        process: Id of its process in a repository, if one was queried.
        origin: Facts of a mirror about the file.
        heard_ns: Time of its last heartbeat, or of the end of its process, in ns.
    """

    path: Path
    life: Life | None
    owner: int
    slice_ns: int
    final: bool
    bytes: int
    mark: Mark
    job: str = ""
    span: tuple[int, int] = (0, 0)
    segments: bool = False
    names: int = 1
    process: int | None = None
    origin: Origin | None = None
    is_dead: bool = False
    heard_ns: int = 0

    @property
    def remainder(self) -> bool | None:
        """Return whether to read the last, partial slice, as ReadRequest.remainder."""
        if self.segments:
            return self.final
        # None: the reader takes it from processes that have ended. A process on a machine that
        # cannot be checked counts as ended after a long time without data.
        return True if self.final else None


def peek_header(path: Path, origin: Origin | None = None) -> HeaderPeek:
    """Read the first page of a file.

    Args:
        path: The file.
        origin: Facts of a mirror about it.

    Raises:
        OSError: The file cannot be opened.
    """
    info, head = _head(path)
    owner = origin.owner if origin else info.st_uid
    mark = _mark(info)
    if path.suffix == ".jss" or not _is_profile(head):
        final = origin is not None and origin.over
        return HeaderPeek(
            path,
            None,
            owner,
            0,
            final,
            info.st_size,
            mark,
            names=info.st_nlink,
            origin=origin,
            is_dead=final,
        )
    alive = not origin.over if origin else is_alive(head, path.name)
    h = Head._make(HEAD.unpack_from(head))
    life = (boot_text(h.boot_id), h.pid, h.start_ns, h.part)
    size = max(info.st_size - h.head_bytes, 0)
    over = _is_over(alive, max(h.heartbeat_ns, h.file_ns), h.slice_ns)
    last = max(h.end_ns, h.start_ns) if over else time.time_ns()
    if over and not h.end_ns:
        last = max(h.heartbeat_ns, h.file_ns)
    return HeaderPeek(
        path,
        life,
        owner,
        h.slice_ns,
        over,
        size,
        mark,
        clean_text(h.job),
        (h.start_ns, last),
        h.mpi_init_ns > 0,
        info.st_nlink,
        origin=origin,
        is_dead=alive is False or (over and _is_long_silent(h)),
        heard_ns=max(h.heartbeat_ns, h.end_ns),
    )


def _is_long_silent(h: Head) -> bool:
    return time.time_ns() - max(h.heartbeat_ns, h.file_ns) > GONE_NS


def _head(path: Path) -> tuple[os.stat_result, bytes]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.fstat(descriptor), os.pread(descriptor, HEAD_BYTES, 0)
    finally:
        os.close(descriptor)


def _is_profile(head: bytes) -> bool:
    return len(head) == HEAD_BYTES and head.startswith(MAGIC)


def superseded_profiles(paths: Mapping[Path, Origin | None]) -> dict[Path, Mark | None]:
    """Return the profiles saved by a parent (*.jsp) whose process left a profile of its own.

    A file supersedes another one only if both belong to one user, or the other to root.

    Args:
        paths: All files of the spools, and a mirror's facts about them.

    Returns:
        Path -> mark of each superseded profile; None if a file cannot be read now.
    """
    kept = [path for path in paths if path.name.endswith(".jsp")]
    own: dict[tuple[Path, str], list[Path]] = {}
    for path in paths if kept else ():
        if path.suffix == ".jst":
            own.setdefault(_pid_of(path), []).append(path)
    marks: dict[Path, Mark | None] = {}
    for path in kept:
        alongside = own.get(_pid_of(path), ())
        try:
            process = _of_process(path, paths[path]) if alongside else None
        except OSError:
            marks[path] = None
            continue
        for own_path in alongside if process else ():
            try:
                if process and _is_superseded(process, _of_process(own_path, paths[own_path])):
                    marks[path] = process[3]
            except OSError:
                # RATIONALE: the saved profile has less than the process's own one, which would
                # count as ingested with it. Unreadable files of others delay no user.
                with contextlib.suppress(OSError):
                    origin = paths[own_path]
                    owner = origin.owner if origin else own_path.lstat().st_uid
                    if process and owner in (0, process[0]):
                        marks.setdefault(path, None)
    return marks


def _pid_of(path: Path) -> tuple[Path, str]:
    """Return the spool and the pid of a profile JOB.PID.TIME; the parent's job may differ."""
    return path.parent, path.name.split(".", 2)[1]


def _of_process(path: Path, origin: Origin | None) -> tuple[int, str, int, Mark] | None:
    """Return a profile's owner, its process's boot and start (clock ticks), and its mark.

    Raises:
        OSError: It cannot be read at this time.
    """
    try:
        info, head = _head(path)
    except OSError as error:
        if passes(error) or isinstance(error, PermissionError):
            raise
        return None
    if not _is_profile(head):
        return None
    owner = origin.owner if origin else info.st_uid
    header = parse_header(head, owner, alive=None)
    return owner, header.boot_id, header.proc_start, _mark(info)


def _is_superseded(
    kept: tuple[int, str, int, Mark], own: tuple[int, str, int, Mark] | None
) -> bool:
    return own is not None and kept[1:3] == own[1:3] and kept[0] in (0, own[0])


def _mark(info: os.stat_result) -> Mark:
    return info.st_ino, info.st_size, info.st_mtime_ns


def is_over(header: ProfileHeader | MachineHeader) -> bool:
    """Return whether no more data will follow from a process or an agent."""
    return _is_over(header.alive, max(header.heartbeat_ns, header.file_ns), header.slice_ns)


def _is_over(alive: bool | None, heard_ns: int, slice_ns: int) -> bool:
    if alive is not None:
        return alive is False
    return time.time_ns() - heard_ns > SILENT_NS + SILENT_SLICES * slice_ns


class Devices:
    """Finds the mounts of short-lived processes, whose records have device numbers only."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str, int, int], tuple[str, str, str]] = {}
        self._boot_id, self._own = _own_mounts()

    def learn(self, header: ProfileHeader) -> None:
        """Remember the mounts of a profile: for its owner; those of root's for all users."""
        for mount in header.mounts:
            if mount.path and (mount.major or mount.minor):
                known = (mount.path, mount.type, mount.source)
                self._seen[header.uid, header.host, mount.major, mount.minor] = known

    def find(
        self, owner: int, host: str, boot_id: str, major: int, minor: int
    ) -> tuple[str, str, str]:
        """Return path, type and source of a device from profiles of its owner (a uid) or root."""
        device = (host, major, minor)
        names = self._seen.get((owner, *device)) or self._seen.get((0, *device))
        if names is None and boot_id == self._boot_id:
            names = self._own.get((major, minor))
        if names is None:
            names = (f"device-{major}:{minor}" if major or minor else "other", "", "")
        return names


def _own_mounts() -> tuple[str, dict[tuple[int, int], tuple[str, str, str]]]:
    mounts: dict[tuple[int, int], tuple[str, str, str]] = {}
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        found = mount_points()
    except OSError:
        return "", mounts
    for mount in found:
        path, kind, source = (clean_text(os.fsencode(text)) for text in mount[:3])
        mounts.setdefault((mount.major, mount.minor), (path, kind, source))
    return boot_id, mounts


def profile_source(
    header: ProfileHeader, devices: Devices, names: JobNames, job: str
) -> ProcessSource:
    """Describe the process of a profile, without what depends on its slices.

    Args:
        header: The profile's header.
        devices: The mounts of other processes.
        names: Assigns ids of processes.
        job: Name of its job in the repository.
    """
    key = names.process(header.uid, header.boot_id, header.pid, header.start_ns, header.part)
    source = ProcessSource(key, job, header.host, header.slice_ns, [])
    for mount in header.mounts:
        _add_mount(source, _mount_of(mount, header, devices))
    _pad(source, header.mount_slots)
    for gpu in header.gpus:
        _add_gpu(source, gpu)
    over = is_over(header)
    end = header.end_ns or (_last_moment(header) if over else 0)
    if end:
        end = max(end, header.start_ns)  # the clock may have been set back
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
        "script": header.script,
        "end_ns": end,
        "end_reason": reason,
        "clock_state": max(states),
        "clock_error_us": max(errors),
        "clock_steps": steps,
        "lost_threads": header.lost_threads,
        "notes": [note.text for note in header.notes],
        **_mpi(header),
        **{name: getattr(header, name) for name in BINDING_COLUMNS},
        "node_samples": list(header.node_samples),
        "job": job,
    }
    return source


def _last_moment(header: ProfileHeader) -> int:
    """Return when a killed process was last known to run; ns.

    If nothing is known after its start (profiles of older runtimes have no time before the first
    second), the end of the slice counts as its end, so that all its activity fits.
    """
    if header.newest_ns > max(header.file_ns, header.start_ns) or not header.slice_ns:
        return header.newest_ns
    return min((header.newest_ns // header.slice_ns + 1) * header.slice_ns, time.time_ns())


def _mpi(header: ProfileHeader) -> dict[str, Any]:
    """Return the header's fields on MPI and counters, without unused PAPI names."""
    row = {name: getattr(header, name) for name in MPI_COLUMNS}
    row["papi_names"] = [name for name in header.papi_names if name]
    return row


def short_source(short: ShortProcess, devices: Devices, names: JobNames, job: str) -> ProcessSource:
    """Describe a short-lived process; arguments as for `profile_source`."""
    boot_id = short.header.boot_id
    key = names.process(short.uid, boot_id, short.pid, short.start_ns, 0)
    source = ProcessSource(key, job, short.header.host, short.header.slice_ns, [])
    for mount in short.mounts:
        named = devices.find(short.uid, source.host, boot_id, mount.major, mount.minor)
        full = Mount(mount.slot, mount.major, mount.minor, 0, mount.fs_magic, *named)
        _add_mount(source, full)
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
        "script": "",
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


def _mount_of(mount: Mount, header: ProfileHeader, devices: Devices) -> Mount:
    """Return a mount with the path that its killed process could not record."""
    is_rest = mount.slot == header.mount_slots - 1
    if mount.path or is_rest or not (mount.major or mount.minor):
        return mount
    named = devices.find(header.uid, header.host, header.boot_id, mount.major, mount.minor)
    return replace(mount, path=named[0], type=named[1], source=named[2])


def _add_mount(source: ProcessSource, mount: Mount) -> None:
    if not 0 <= mount.slot < MAX_SLOTS:
        return
    path, kind, origin = mount.path, mount.type, mount.source
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


def _add_gpu(source: ProcessSource, gpu: Gpu) -> None:
    identity = gpu_identity(gpu.pci, gpu.uuid)
    source.gpus.append(identity)
    source.gpu_rows.append(
        {
            "job": source.job,
            "host": source.host,
            "gpu": identity,
            "pci": gpu.pci,
            "uuid": gpu.uuid,
            "name": gpu.name,
            "pci_path": gpu.path,
            "numa": gpu.numa,
            "memory_bytes": gpu.memory_bytes,
        }
    )


def _pad(source: ProcessSource, slots: int) -> None:
    missing = min(slots, MAX_SLOTS) - len(source.mounts)
    source.mounts.extend([f"{source.host}:other"] * missing)


def validate_source(
    source: ProcessSource, first: int, last: int, segments: tuple[int, int] = (0, 0)
) -> str:
    """Return why a process is implausible; then its slices must not be stored.

    Args:
        source: The process.
        first: First slice of its rows.
        last: Last slice of them.
        segments: Start of its first and end of its last segment, ns; (0, 0): none.

    Returns:
        A sentence; "" if the process is plausible.
    """
    row = source.row
    who = f"Process {row['pid']} of job {source.job}"
    gpus = [{**gpu, "numa": gpu["numa"] + 1} for gpu in source.gpu_rows]  # -1: unknown
    numbers = [
        n
        for values in (row, *source.mount_rows, *gpus)
        for n in values.values()
        if isinstance(n, int)
    ]
    times = [row["start_ns"], row["end_ns"] or row["start_ns"]]
    times += segments if any(segments) else ()
    return implausible(who, source.slice_ns, numbers, [first, last], times)


def implausible(
    who: str, slice_ns: int, numbers: Sequence[int], slices: Sequence[int], times: Sequence[int]
) -> str:
    """Return why the life of a process or machine cannot be true; "" if it can.

    Args:
        who: Subject of the sentence.
        slice_ns: Slice length, in ns.
        numbers: All its numbers.
        slices: First and last slice of its rows.
        times: Times in its life, in ns.
    """
    if not MIN_SLICE_NS <= slice_ns <= MAX_SLICE_NS:
        return f"{who} claims slices of {slice_ns} ns; it is left out."
    if min(numbers, default=0) < 0 or max(numbers, default=0) > MAX_INT:
        return f"{who} has absurd numbers in its header; it is left out."
    known = [*(number * slice_ns for number in slices), *times]
    if min(known) < YEAR_2000_NS or max(known) > time.time_ns() + AHEAD_NS:
        return (
            f"{who} has slices or segments before the year 2000 or in the future; it is left out. "
            "Is the clock of its node right?"
        )
    life = max(known) - min(known)
    if life > MAX_LIFE_NS or life > MAX_SLICES * slice_ns:
        return (
            f"{who} claims to have run for {life / _YEAR_NS:.1g} years, in slices of "
            f"{slice_ns / 1e9:g} s; it is left out."
        )
    return ""


def names_job(path: Path, job: str) -> bool:
    """Return whether a file may have processes of a job; only profiles have it in their header."""
    try:
        peek = peek_header(path)
    except OSError:
        return False
    return peek.life is None or peek.job == job
