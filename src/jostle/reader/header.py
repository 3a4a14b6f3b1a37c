"""Headers: the process that wrote a profile, and whether it still runs."""

from __future__ import annotations

import functools
import struct
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jostle.schema.profile import (
    BINDING,
    BINDINGS_AT,
    END_REASONS,
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
_MOST_SLOTS = (HEAD_BYTES - MOUNTS_AT) // MOUNT_SLOT.size  # as many as the header has room for


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount that a process used.

    Attributes:
        slot: Its number in the file (column slot of mount_slices); the last slot is "other".
        major: Device number, major.
        minor: Device number, minor.
        mnt_id: Id in /proc/PID/mountinfo.
        fs_magic: f_type of statfs.
        path: Mount point as the process saw it; "" when it was killed before it was written.
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
    """A GPU that a process used, or an instance of one that is divided.

    Attributes:
        pci: PCI bus id such as 0000:3b:00.0; "" unknown, as of the texts below.
        uuid: As its driver gives it; one that begins with MIG- is an instance.
        name: Its model.
        path: Where it hangs, below /sys/devices: the PCI tree from its root to it.
        numa: NUMA node that it hangs on; -1: unknown.
        memory_bytes: Its memory; 0: unknown.
    """

    pci: str
    uuid: str
    name: str
    path: str
    numa: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class ClockEvent:
    """The clock's state as it changed, or a jump of it.

    Attributes:
        realtime_ns: CLOCK_REALTIME, ns.
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
    """A note of the runtime for the user (at realtime_ns)."""

    realtime_ns: int
    text: str


@dataclass(frozen=True, slots=True)
class ProfileHeader:
    """Header of a profile; the fields of docs/reference/profile-format.md, times in ns.

    Attributes:
        uid: Owner of the file by the file system; the header's own claim is not used.
        boot_id: As the kernel writes it, with dashes.
        mounts: The mounts that it used, by slot.
        clock_events: Changes of the clock's state, jumps.
        notes: What the runtime had to say.
        gpus: The GPUs that it used, by place (column place of gpu_slices).
        end_reason: none, exit, _exit, exec, abort or continued (in the next part).
        alive: Whether the process ran when the reading began; None when it runs on another
            machine.
        finished: It had ended, or was killed, by then: no more slices will come.
        newest_ns: Newest time at which it is known to have run, ns; its end, if it noted that.
        mpi_state: 0 no MPI, 1 in MPI_Init, 2 initialised, 3 in MPI_Finalize, 4 finalised.
        mpi_adapter: 0 no MPI seen, 1 loaded, 2 none for this MPI (its calls are not counted), 3
            refused.
        world_size: Ranks of MPI_COMM_WORLD; 0 without MPI.
        thread_level: 0 single, 1 funneled, 2 serialized, 3 multiple.
        spawned: By MPI_Comm_spawn.
        omp_threads: OMP_NUM_THREADS; 0 when it is not set.
        mpi_init_ns: MPI_Init was called (0: not yet, as for the three after it) ...
        mpi_ready_ns: ... returned; ...
        mpi_finalize_ns: MPI_Finalize was called ...
        mpi_end_ns: ... returned.
        mpi_library: What the MPI says it is.
        mpi_adapter_name: openmpi, mpich, ...
        launcher: orte, prrte, hydra, slurm, torch or "".
        batch: Batch system and number, such as slurm-123, or "".
        world: Common to the ranks of one mpirun on all nodes; "" when unknown.
        papi_names: Four PAPI events; "" where fewer were asked for.
        perf_asked: Counters that were asked for: bit 0 instructions, 1 cycles, 2 last-level misses,
            3 task clock, 4 switches, 5 migrations, 6 faults, 8 to 11 papi_names.
        perf_granted: Those that the machine granted.
        script: What an interpreter runs (base name of a script, a module, a class); "" of other
            programs and in old profiles.
        allowed_cpus: Cores that its threads may run on together, as it was last: "0-15,64-79", with
            "..." at its end where the list goes on; "" unknown, as of the three after it.
        allowed_nodes: NUMA nodes of these cores, listed in the same way.
        group_cpus: Cores that its control group has, or all of the machine.
        group_nodes: NUMA nodes of these.
        node_samples: How often a thread that wanted a core was seen on NUMA node 0, 1, ... up to
            the last on which one was; only of processes that have used a GPU and may run on several
            nodes.
    """

    version: int
    cell_count: int
    block_capacity: int
    table_crc: int
    mount_slots: int
    slice_ns: int
    start_ns: int
    file_ns: int
    first_slice: int
    pid: int
    ppid: int
    uid: int
    gid: int
    proc_start: int
    sid: int
    part: int
    boot_id: str
    host: str
    job: str
    program: str
    library: str
    command: str
    start_clock_state: int
    start_clock_error_us: int
    generation: int
    tick_ns: float
    heartbeat_ns: int
    end_ns: int
    end_reason: str
    blocks_used: int
    clock_state: int
    clock_error_us: int
    lost_threads: int
    mounts: list[Mount]
    clock_events: list[ClockEvent]
    notes: list[ProfileNote]
    gpus: list[Gpu]
    alive: bool | None
    finished: bool
    newest_ns: int
    mpi_state: int = 0
    mpi_adapter: int = 0
    world_size: int = 0
    world_rank: int = 0
    thread_level: int = 0
    appnum: int = 0
    spawned: bool = False
    omp_threads: int = 0
    mpi_init_ns: int = 0
    mpi_ready_ns: int = 0
    mpi_finalize_ns: int = 0
    mpi_end_ns: int = 0
    mpi_library: str = ""
    mpi_adapter_name: str = ""
    launcher: str = ""
    batch: str = ""
    world: str = ""
    papi_names: tuple[str, str, str, str] = ("", "", "", "")
    perf_asked: int = 0
    perf_granted: int = 0
    script: str = ""
    allowed_cpus: str = ""
    allowed_nodes: str = ""
    group_cpus: str = ""
    group_nodes: str = ""
    node_samples: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ShortsHeader:
    """Header of a shorts file: the fields common to all its processes (slice_ns in ns)."""

    slice_ns: int
    boot_id: str
    host: str
    job: str
    library: str
    table_crc: int


@dataclass(frozen=True, slots=True)
class ShortMount:
    """A mount of a short process: known by device number only; its name is in other profiles."""

    slot: int
    major: int
    minor: int
    fs_magic: int


@dataclass(frozen=True, slots=True)
class ShortProcess:
    """A process too short for a profile of its own.

    Attributes:
        process: Its number in the tables: -1, -2, ... over all files of one read_profiles.
        header: What it shares with the others in the file.
        record: Number of its record in the file; with the file's name it makes an identity.
        row: Its row of the slices table.
        uid: Whose file it is, as in ProfileHeader.
        program: Base name of the program.
        start_ns: CLOCK_REALTIME, ns; its one row covers the slices from here ...
        end_ns: ... to here.
        end_reason: As in ProfileHeader.
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


def clean_text(raw: bytes) -> str:
    r"""Decode a string of a profile.

    The bytes are not trusted: invalid UTF-8 and control characters are escaped as \xNN, so that the
    text can be printed and stored.
    """
    return _clean(raw.partition(b"\0")[0]) if raw[:1] not in (b"", b"\0") else ""


# Most processes have their strings in common with others, and are read again and again.
@functools.lru_cache(1 << 14)
def _clean(raw: bytes) -> str:
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@functools.lru_cache(1 << 12)
def boot_text(raw: bytes) -> str:
    """Write a boot id (16 bytes) as the kernel does."""
    return str(uuid.UUID(bytes=raw))


def end_reason(code: int) -> str:
    """Name an end_reason; codes of a newer format stay numbers."""
    return END_REASONS[code] if code < len(END_REASONS) else str(code)


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
    """Take the first 4096 bytes of a profile apart.

    Args:
        head: The bytes; checked by the decoder.
        owner: Owner of the file (a uid) by the file system; the header's claim is not used.
        mounts: From its 'M' records, the latest of each slot.
        clock_events: From its 'C' records.
        notes: From its 'N' records.
        gpus: From the table in its head.
        alive: What is_alive said before the file was read.
        newest_ns: What the decoder found as the newest time in its blocks, ns; 0: it did not look.
    """
    h = Head._make(HEAD.unpack_from(head))
    return ProfileHeader(
        h.version,
        h.cell_count,
        h.block_capacity,
        h.table_crc,
        h.mount_slots,
        h.slice_ns,
        h.start_ns,
        h.file_ns,
        h.first_slice,
        h.pid,
        h.ppid,
        owner,
        h.gid,
        h.proc_start,
        h.sid,
        h.part,
        boot_text(h.boot_id),
        clean_text(h.host),
        clean_text(h.job),
        clean_text(h.program),
        clean_text(h.library),
        clean_text(h.command),
        h.start_clock_state,
        h.start_clock_error_us,
        h.generation,
        h.tick_ns / 2**32,
        h.heartbeat_ns,
        h.end_ns,
        end_reason(h.end_reason),
        h.blocks_used,
        h.clock_state,
        h.clock_error_us,
        h.lost_threads,
        _with_unnamed(head, h.mount_slots, mounts),
        list(clock_events),
        list(notes),
        list(gpus),
        # NOTE: end_ns may have come after the question; then this reading may lack the last slice.
        alive,
        alive is False,
        _newest_ns(h, newest_ns),
        **_mpi_fields(h),
        **_binding(head),
    )


def _newest_ns(h: Head, found_ns: int) -> int:
    # A time that has not come yet is a damaged file's, or of a clock that was exchanged.
    known = max(h.heartbeat_ns, h.file_ns)
    return h.end_ns or (max(known, found_ns) if found_ns <= time.time_ns() else known)


def _mpi_fields(h: Head) -> dict[str, Any]:
    """Return the fields of ProfileHeader from mpi_state on."""
    numbers = (
        "mpi_state",
        "mpi_adapter",
        "world_size",
        "world_rank",
        "thread_level",
        "appnum",
        "omp_threads",
        "mpi_init_ns",
        "mpi_ready_ns",
        "mpi_finalize_ns",
        "mpi_end_ns",
        "perf_asked",
        "perf_granted",
    )
    texts = ("mpi_library", "mpi_adapter_name", "launcher", "batch", "world", "script")
    papi = (h.papi_names_1, h.papi_names_2, h.papi_names_3, h.papi_names_4)
    return {
        **{name: getattr(h, name) for name in numbers},
        **{name: clean_text(getattr(h, name)) for name in texts},
        "spawned": bool(h.spawned),
        "papi_names": tuple(clean_text(name) for name in papi),
    }


def _binding(head: bytes) -> dict[str, Any]:
    """Return the fields of ProfileHeader from allowed_cpus on."""
    places = BINDING.iter_unpack(head[BINDINGS_AT : BINDINGS_AT + 2 * BINDING.size])
    newest = max(map(Binding._make, places), key=lambda place: place.number)
    if not newest.number:
        return {}
    samples = _NODE_SAMPLES.unpack_from(head, NODE_SAMPLES_AT)
    last = max((node for node, times in enumerate(samples) if times), default=-1)
    texts = {name: clean_text(getattr(newest, name)) for name in Binding._fields[1:]}
    return {**texts, "node_samples": samples[: last + 1]}


def _with_unnamed(head: bytes, slots: int, mounts: Sequence[Mount]) -> list[Mount]:
    """Add the mounts in use that only the header lists, without a record."""
    known = {mount.slot: mount for mount in mounts}
    for slot in range(min(slots, _MOST_SLOTS)):
        offset = MOUNTS_AT + slot * MOUNT_SLOT.size
        values = MOUNT_SLOT.unpack_from(head, offset)
        if values[-1] and slot not in known:  # `used` is the last
            m = MountSlot._make(values)
            known[slot] = Mount(slot, m.major, m.minor, m.mnt_id, m.fs_magic, "", "", "")
    return [known[slot] for slot in sorted(known)]
