"""Headers of profiles: the process that wrote a file, and whether it still runs."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jostle.reader.header_fields import ProcessFields, process_fields
from jostle.reader.texts import clean_text
from jostle.schema.profile import (
    BINDING,
    BINDINGS_AT,
    HEAD,
    HEAD_BYTES,
    MOUNT_SLOT,
    MOUNTS_AT,
    NODE_SAMPLES,
    NODE_SAMPLES_AT,
    Binding,
    Head,
    MountSlot,
)

_NODE_SAMPLES = struct.Struct(f"<{NODE_SAMPLES}I")
_NO_BINDING = ("",) * (len(Binding._fields) - 1)  # all but the first are texts
_MOST_SLOTS = (HEAD_BYTES - MOUNTS_AT) // MOUNT_SLOT.size  # as many as fit into the header


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount that a process used.

    Attributes:
        slot: Number of the mount in the file (column slot of mount_slices); the last slot is
            "other".
        major: Device number, major.
        minor: Device number, minor.
        mnt_id: Id in /proc/PID/mountinfo.
        fs_magic: f_type of statfs.
        path: Mount point as the process saw it; "" if the process was killed before it wrote this.
        type: File-system type, such as ext4, nfs4, fuse.sshfs.
        source: Device or server.
    """

    slot: int
    major: int
    minor: int
    mnt_id: int
    fs_magic: int
    path: str
    type: str
    source: str


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU that a process used, or an instance of a divided GPU (MIG).

    Texts are "" if they are unknown.

    Attributes:
        pci: PCI bus id such as 0000:3b:00.0.
        uuid: UUID from the driver; that of an instance begins with MIG-.
        name: Model name.
        path: Path in the PCI tree, from the root, below /sys/devices.
        numa: NUMA node to which it is attached; -1: unknown.
        memory_bytes: Size of its memory; 0: unknown.
    """

    pci: str
    uuid: str
    name: str
    path: str
    numa: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class ClockEvent:
    """A change of the clock's state, or a jump of the clock.

    Attributes:
        realtime_ns: Time of the event, CLOCK_REALTIME, in ns.
        state: Return value of adjtimex (5: not synchronised).
        maxerror_us: Error bound, µs.
        step_ns: Jump of CLOCK_REALTIME, ns; 0 when there was none.
    """

    realtime_ns: int
    state: int
    maxerror_us: int
    step_ns: int


@dataclass(frozen=True, slots=True)
class ProfileNote:
    """A message of jostle's runtime library for the user, with its time (ns since the epoch)."""

    realtime_ns: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileHeader(ProcessFields):
    """Header of a process's profile, with facts from the profile's records (such as mounts).

    Attributes:
        uid: Owner of the file as the file system reports it, not as the header states it.
        mounts: The mounts that the process used, in order of slot.
        clock_events: Changes of the clock's state, and jumps of the clock.
        notes: Notes of the runtime.
        gpus: The GPUs that the process used, by index (column place of gpu_slices).
        alive: Whether the process ran when the reading began; None if it runs on another machine.
        finished: Whether the process had ended when the reading began, so that no more slices will
            follow.
        newest_ns: Newest time at which the process is known to have run, ns; its end, if that is
            recorded.
    """

    uid: int
    mounts: list[Mount]
    clock_events: list[ClockEvent]
    notes: list[ProfileNote]
    gpus: list[Gpu]
    alive: bool | None
    finished: bool
    newest_ns: int


@dataclass(frozen=True, slots=True)
class ShortsHeader:
    """Header of a file of short-lived processes: the fields that all of them have in common."""

    slice_ns: int
    boot_id: str
    host: str
    job: str
    library: str
    table_crc: int


@dataclass(frozen=True, slots=True)
class ShortMount:
    """A mount of a short-lived process: only its device number is known, no path."""

    slot: int
    major: int
    minor: int
    fs_magic: int


@dataclass(frozen=True, slots=True)
class ShortProcess:
    """A process too short for a profile of its own.

    Attributes:
        process: Number of the process in the tables: -1, -2, ..., counted over all files of one
            call of read_profiles.
        header: Header of the file that has the process.
        record: Number of its record in the file; together with the file's name, it identifies the
            process.
        row: Row of the process in the slices table.
        uid: Owner of the file, as in ProfileHeader.
        program: Base name of the program.
        start_ns: Start of the process, CLOCK_REALTIME, ns; its one row begins with this slice.
        end_ns: End of the process, CLOCK_REALTIME, ns; its one row ends with this slice.
        end_reason: Reason of the end, as in ProfileHeader.
        mounts: The mounts that it used.
    """

    process: int
    header: ShortsHeader
    record: int
    row: int
    pid: int
    ppid: int
    uid: int
    gid: int
    sid: int
    start_ns: int
    end_ns: int
    end_reason: str
    program: str
    mounts: list[ShortMount]


def parse_header(
    head: bytes,
    owner: int,
    mounts: Sequence[Mount] = (),
    clock_events: Sequence[ClockEvent] = (),
    notes: Sequence[ProfileNote] = (),
    gpus: Sequence[Gpu] = (),
    alive: bool | None = None,
    newest_ns: int = 0,
) -> ProfileHeader:
    """Parse the first 4096 bytes of a profile.

    Args:
        head: The bytes; checked by the decoder.
        owner: Owner of the file (a uid) as the file system reports it.
        mounts: Mounts from its 'M' records, the latest of each slot.
        clock_events: Clock events from its 'C' records.
        notes: Notes from its 'N' records.
        gpus: GPUs from the table in its header.
        alive: Result of is_alive before the file was read.
        newest_ns: Newest time in its blocks, from the decoder, ns; 0: not searched.
    """
    h = Head._make(HEAD.unpack_from(head))
    return ProfileHeader(
        *process_fields(h),
        *_binding(head),
        uid=owner,
        mounts=_with_unnamed(head, h.mount_slots, mounts),
        clock_events=list(clock_events),
        notes=list(notes),
        gpus=list(gpus),
        # NOTE: end_ns may have been written after that check; then the last slice may be missing.
        alive=alive,
        finished=alive is False,
        newest_ns=_newest_ns(h, newest_ns),
    )


def _newest_ns(h: Head, found_ns: int) -> int:
    # A time in the future comes from damage, or from a clock that was set back.
    known = max(h.heartbeat_ns, h.file_ns)
    return h.end_ns or (max(known, found_ns) if found_ns <= time.time_ns() else known)


def _binding(head: bytes) -> tuple[Any, ...]:
    """Return the last five values of ProcessFields: cores, NUMA nodes and node_samples."""
    places = BINDING.iter_unpack(head[BINDINGS_AT : BINDINGS_AT + 2 * BINDING.size])
    newest = max(map(Binding._make, places), key=lambda place: place.number)
    if not newest.number:
        return (*_NO_BINDING, ())
    samples = _NODE_SAMPLES.unpack_from(head, NODE_SAMPLES_AT)
    last = max((node for node, times in enumerate(samples) if times), default=-1)
    return (*map(clean_text, newest[1:]), samples[: last + 1])


def _with_unnamed(head: bytes, slots: int, mounts: Sequence[Mount]) -> list[Mount]:
    """Add the mounts without a record: the header has their device numbers, but no names."""
    known = {mount.slot: mount for mount in mounts}
    for slot in range(min(slots, _MOST_SLOTS)):
        offset = MOUNTS_AT + slot * MOUNT_SLOT.size
        values = MOUNT_SLOT.unpack_from(head, offset)
        if values[-1] and slot not in known:  # `used` is the last value
            m = MountSlot._make(values)
            known[slot] = Mount(slot, m.major, m.minor, m.mnt_id, m.fs_magic, "", "", "")
    return [known[slot] for slot in sorted(known)]
