"""What a profile looks like: the structs of its header, the letters and numbers in it.

Made by tools/generate.py from schema/profile.toml; do not edit.
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

import enum
import struct
from typing import Final, NamedTuple

MAGIC: Final = b"jostle01"
FORMAT_VERSION: Final = 2
HEAD_BYTES: Final = 4096

#: Width of a bin of wait_ns and offcpu_ns if the bins' shift is 0, ns.
BIN_NS: Final = 10_000_000

#: Number of NUMA nodes for which `node_samples` has a value.
NODE_SAMPLES: Final = 16


class RecordType(enum.IntEnum):
    """Types of records."""

    SLICE = ord("S")  # increases of the counters in one or a few slices
    SLICE_LIKE = ord("L")  # the same as `S`, stored as the difference from the last `S` record
    MOUNT = ord("M")  # names of the mount in a slot
    CLOCK = ord("C")  # change of the clock's state, or jump of the clock
    NOTE = ord("N")  # sentence for the user
    SEGMENTS = ord("G")  # part of the stream of segments
    PEERS = ord("W")  # bytes to and from each rank (no longer written)
    TRAFFIC = ord("T")  # increases of partners and collectives in one or a few slices
    COMMUNICATOR = ord("U")  # members of a communicator
    GPU_SLICES = ord("D")  # increases of the GPUs' counters in one or a few slices
    COMPONENT = ord("K")  # names of a component, before the first record with its values
    COMPONENT_SLICES = ord("X")  # increases of the components' counters in one or a few slices
    SHORTS_HEADER = ord("H")  # header that several `P` records share
    SHORT_PROCESS = ord("P")  # process that was too short for a profile


class EventType(enum.IntEnum):
    """Events of the decoder that come from no record of their own; all other events have the type of their record."""

    SHORT_MOUNT = ord("p")  # mount of the short process whose event was the last one
    GPU = ord("d")  # GPU, from its place in the table of GPUs


#: How a process image ended.
END_REASONS: Final = ("none", "exit", "_exit", "exec", "abort", "continued")


class MpiState(enum.IntEnum):
    """State of the program's MPI."""

    NONE = 0  # none
    STARTING = 1  # in MPI_Init
    INITIALISED = 2  # initialised
    FINISHING = 3  # in MPI_Finalize
    FINALISED = 4  # finalised


class MpiAdapter(enum.IntEnum):
    """Whether MPI calls are counted."""

    NONE = 0  # no MPI seen
    LOADED = 1  # adapter loaded
    LACKING = 2  # no adapter is installed for this MPI (its calls are not counted)
    REFUSED = 3  # the adapter does not fit this MPI (its calls are not counted)


#: Thread level that MPI_Init_thread provided.
THREAD_LEVELS: Final = ("single", "funneled", "serialized", "multiple")

#: Why a segment ended.
SEGMENT_RULES: Final = ("every", "coalesced", "epoch", "raw", "final")

#: How jobs use a machine.
MACHINE_ROLES: Final = ("node", "server")

#: Kinds of components of a machine.
COMPONENT_KINDS: Final = ("machine", "socket", "power", "batch_job", "disk", "interface", "port", "nfs_mount", "nfs_server", "lustre_mount", "lustre_osc", "lustre_mdc", "lustre_ost", "lustre_mdt", "lustre_job", "gpfs_mount", "gpfs_disk", "beegfs_client", "gpu", "process", "ceph_osd", "ceph_mds", "ceph_request", "ceph_client", "ceph_mount")

#: What a segment counts, in the order of the format's bits 1 to 31.
SEGMENT_VALUES: Final = ("sends", "recvs", "isends", "irecvs", "sendrecvs", "p2p_bytes", "p2p_room", "one_to_all", "all_to_one", "all_to_all", "barriers", "scans", "neighbors", "collective_bytes", "rma_ops", "rma_bytes", "opens", "closes", "reads", "writes", "read_bytes", "write_bytes", "mpiio_ops", "mpiio_bytes", "mpi_ns", "io_ns", "cpu_ns", "wait_ns", "offcpu_ns", "instructions", "flops")


class Head(NamedTuple):
    """The header of a profile, up to its mount slots."""

    magic: bytes
    version: int
    head_bytes: int
    cell_count: int
    block_offset: int
    block_bytes: int
    block_capacity: int
    table_offset: int
    table_bytes: int
    commit_offset: int
    commit_bytes: int
    table_crc: int
    mount_slots: int
    mount_stride: int
    flags: int
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
    boot_id: bytes
    host: bytes
    job: bytes
    program: bytes
    library: bytes
    command: bytes
    start_clock_state: int
    start_clock_error_us: int
    pid_namespace: int
    mpi_state: int
    mpi_adapter: int
    world_size: int
    world_rank: int
    thread_level: int
    appnum: int
    spawned: int
    omp_threads: int
    mpi_init_ns: int
    mpi_ready_ns: int
    mpi_finalize_ns: int
    mpi_end_ns: int
    mpi_library: bytes
    mpi_adapter_name: bytes
    launcher: bytes
    batch: bytes
    world: bytes
    ring_offset: int
    ring_bytes: int
    papi_names_1: bytes
    papi_names_2: bytes
    papi_names_3: bytes
    papi_names_4: bytes
    perf_asked: int
    perf_granted: int
    script: bytes
    files_offset: int
    file_bytes: int
    files_capacity: int
    role: int
    peers_offset: int
    peer_bytes: int
    peers_capacity: int
    collectives_offset: int
    collective_bytes: int
    collectives_capacity: int
    gpus_offset: int
    gpu_bytes: int
    gpus_capacity: int
    generation: int
    tick_ns: int
    heartbeat_ns: int
    end_ns: int
    end_reason: int
    blocks_used: int
    clock_state: int
    clock_error_us: int
    lost_threads: int
    tick_now: int


HEAD: Final = struct.Struct("<8s14I4Q4IQ2I16s64s128s256s32s512s2IQ8I4Q128s32s32s64s32s2I32s32s32s32s2I128s13I220x4Q4I2Q")
MOUNTS_AT: Final = 2112


class MountSlot(NamedTuple):
    """A mount slot of the header."""

    major: int
    minor: int
    fs_magic: int
    mnt_id: int
    used: int


MOUNT_SLOT: Final = struct.Struct("<2I3Q")
BINDINGS_AT: Final = 2392
NODE_SAMPLES_AT: Final = 3688


class Binding(NamedTuple):
    """On which cores a process may run."""

    number: int
    allowed_cpus: bytes
    allowed_nodes: bytes
    group_cpus: bytes
    group_nodes: bytes


BINDING: Final = struct.Struct("<Q256s64s256s64s")


class FilePlace(NamedTuple):
    """A place in the table of files."""

    hash: int
    key: int
    mount: int
    format: int
    users: int
    owner: int
    opens: int
    meta_ticks: int
    reads: int
    read_bytes: int
    read_ticks: int
    writes: int
    write_bytes: int
    write_ticks: int
    other_opens: int
    other_meta_ticks: int
    other_reads: int
    other_read_bytes: int
    other_read_ticks: int
    other_writes: int
    other_write_bytes: int
    other_write_ticks: int
    syncs: int
    sync_ticks: int
    name: bytes


FILE_PLACE: Final = struct.Struct("<2QHHI19Q80s")
