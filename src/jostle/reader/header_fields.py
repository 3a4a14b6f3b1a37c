"""What the headers of profiles say, as Python values.

Made by tools/generate.py from schema/profile.toml; do not edit.
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jostle.reader.texts import boot_text, clean_text, name_of
from jostle.schema.profile import END_REASONS, MACHINE_ROLES, Head


# Its subclass has the methods: making them twice would cost every start some milliseconds.
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class ProcessFields:
    """What the header of a process's profile says; times in ns.

    Attributes:
        version: 1, or 2 where `L` records are possible.
        cell_count: Cells in a block.
        block_capacity: Blocks in the file.
        table_crc: CRC-32 (IEEE) of the metric table.
        mount_slots: Number of mount slots: 8, seven for one mount each, the last for all others.
        slice_ns: Slice length L; slice k is [k*L, (k+1)*L) of CLOCK_REALTIME.
        start_ns: CLOCK_REALTIME when the library started in this process image.
        file_ns: CLOCK_REALTIME when this file was created.
        first_slice: Slice that contains start_ns; if part is not 0, slice that contains file_ns.
        pid: Process id in the process's own PID namespace.
        ppid: Process id of the parent.
        gid: Real group id.
        proc_start: Start of the process, field 22 of /proc/PID/stat (clock ticks since boot); 0:
            unknown.
        sid: Session id.
        part: 0 for the first file of a process image, n for the n-th further file; calls of unshare
            or setns that need a process with one thread begin such a file.
        boot_id: Id of the machine's boot; as the kernel writes it, with dashes.
        host: Node name.
        job: Job name.
        program: Path of the executable.
        library: Version of libjostle.
        command: Command line, arguments separated by spaces, cut to the size of this field; by
            default only its first word (`command_lines`).
        start_clock_state: Return value of adjtimex at file_ns (0 ok ... 5 = TIME_ERROR: not
            synchronised).
        start_clock_error_us: Maxerror of adjtimex at file_ns, µs.
        mpi_state: 0 none, 1 in MPI_Init, 2 initialised, 3 in MPI_Finalize, 4 finalised.
        mpi_adapter: 0 no MPI seen, 1 adapter loaded, 2 no adapter is installed for this MPI (its
            calls are not counted), 3 the adapter does not fit this MPI (its calls are not counted).
        world_size: Number of ranks in MPI_COMM_WORLD; 0: no MPI.
        world_rank: Rank in MPI_COMM_WORLD.
        thread_level: 0 single, 1 funneled, 2 serialized, 3 multiple.
        appnum: MPI_APPNUM.
        spawned: 1: MPI_Comm_spawn started the process.
        omp_threads: First number of OMP_NUM_THREADS; 0: unset.
        mpi_init_ns: CLOCK_REALTIME when MPI_Init was called; 0 until then.
        mpi_ready_ns: CLOCK_REALTIME when MPI_Init returned; 0 until then.
        mpi_finalize_ns: CLOCK_REALTIME when MPI_Finalize was called; 0 until then.
        mpi_end_ns: CLOCK_REALTIME when MPI_Finalize returned; 0 until then.
        mpi_library: First line of MPI_Get_library_version.
        mpi_adapter_name: Name of the adapter, such as openmpi or mpich; empty: no adapter.
        launcher: Launcher of the ranks: orte, prrte, hydra, slurm or torch; empty: unknown.
        batch: Batch job, such as `slurm-123`; empty: none.
        world: Id that all ranks of one mpirun or training launch share; empty: unknown.
        papi_names: PAPI events that papi_1_count to papi_4_count count; empty where fewer were
            requested.
        perf_asked: Requested hardware counters, a bit each: 0 instructions, 1 cycles, 2 llc_misses,
            3 task_clock, 4 switches, 5 migrations, 6 faults, 8 to 11 PAPI events.
        perf_granted: Counters that could be opened, in the bits of perf_asked.
        script: What an interpreter runs: a script's base name, a module or a class; empty: the
            program is no interpreter, `command_lines` is `none`, or the library is older than
            0.5.0.
        generation: Increases with each commit; commit `generation & 1` is valid.
        tick_ns: Length of a tick of the counter by which calls are timed: nanoseconds, 32.32 fixed
            point; here as a plain number.
        heartbeat_ns: CLOCK_REALTIME when the heartbeat last ran.
        end_ns: CLOCK_REALTIME of the process image's orderly end; 0: none so far.
        end_reason: How a process image ended: none, exit, _exit, exec, abort, continued.
        blocks_used: Number of blocks assigned so far; those beyond block_capacity are in memory,
            not in the file.
        clock_state: Return value of the latest adjtimex.
        clock_error_us: Maxerror of the latest adjtimex, µs.
        lost_threads: Number of threads that got no block: their calls are not counted.
        allowed_cpus: Cores that the process's threads together may use, in the kernel's form
            `0-15,64-79`; `...` at the end: the list was cut.
        allowed_nodes: NUMA nodes of allowed_cpus, in the same form; empty: unknown.
        group_cpus: Cores of the process's control group (`cpuset`), without such a group of the
            machine; empty: unknown.
        group_nodes: NUMA nodes of group_cpus.
        node_samples: For NUMA nodes 0, 1, ...: number of times that a thread which wanted a core
            was seen on the node; only for processes that used a GPU and may run on several nodes;
            up to the last that is not 0.
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
    mpi_state: int
    mpi_adapter: int
    world_size: int
    world_rank: int
    thread_level: int
    appnum: int
    spawned: bool
    omp_threads: int
    mpi_init_ns: int
    mpi_ready_ns: int
    mpi_finalize_ns: int
    mpi_end_ns: int
    mpi_library: str
    mpi_adapter_name: str
    launcher: str
    batch: str
    world: str
    papi_names: tuple[str, str, str, str]
    perf_asked: int
    perf_granted: int
    script: str
    generation: int
    tick_ns: float
    heartbeat_ns: int
    end_ns: int
    end_reason: str
    blocks_used: int
    clock_state: int
    clock_error_us: int
    lost_threads: int
    allowed_cpus: str
    allowed_nodes: str
    group_cpus: str
    group_nodes: str
    node_samples: tuple[int, ...]


def process_fields(h: Head) -> tuple[Any, ...]:
    """Return the values of ProcessFields in its order; without those behind the mount slots."""
    return (
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
        h.mpi_state,
        h.mpi_adapter,
        h.world_size,
        h.world_rank,
        h.thread_level,
        h.appnum,
        bool(h.spawned),
        h.omp_threads,
        h.mpi_init_ns,
        h.mpi_ready_ns,
        h.mpi_finalize_ns,
        h.mpi_end_ns,
        clean_text(h.mpi_library),
        clean_text(h.mpi_adapter_name),
        clean_text(h.launcher),
        clean_text(h.batch),
        clean_text(h.world),
        (clean_text(h.papi_names_1), clean_text(h.papi_names_2), clean_text(h.papi_names_3), clean_text(h.papi_names_4)),
        h.perf_asked,
        h.perf_granted,
        clean_text(h.script),
        h.generation,
        h.tick_ns / 2**32,
        h.heartbeat_ns,
        h.end_ns,
        name_of(END_REASONS, h.end_reason),
        h.blocks_used,
        h.clock_state,
        h.clock_error_us,
        h.lost_threads,
    )


# Its subclass has the methods: making them twice would cost every start some milliseconds.
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class MachineFields:
    """What the header of a machine's profile says; times in ns.

    Attributes:
        slice_ns: Slice length L; slice k is [k*L, (k+1)*L) of CLOCK_REALTIME.
        start_ns: CLOCK_REALTIME when the library started in this process image.
        file_ns: CLOCK_REALTIME when this file was created.
        first_slice: Slice that contains start_ns; if part is not 0, slice that contains file_ns.
        pid: Process id in the process's own PID namespace.
        part: 0 for the first file of a process image, n for the n-th further file; calls of unshare
            or setns that need a process with one thread begin such a file.
        boot_id: Id of the machine's boot; as the kernel writes it, with dashes.
        host: Node name.
        library: Version of libjostle.
        start_clock_state: Return value of adjtimex at file_ns (0 ok ... 5 = TIME_ERROR: not
            synchronised).
        start_clock_error_us: Maxerror of adjtimex at file_ns, µs.
        role: How jobs use a machine: node, server.
        heartbeat_ns: CLOCK_REALTIME when the heartbeat last ran.
        end_ns: CLOCK_REALTIME of the process image's orderly end; 0: none so far.
        end_reason: How a process image ended: none, exit, _exit, exec, abort, continued.
        clock_state: Return value of the latest adjtimex.
        clock_error_us: Maxerror of the latest adjtimex, µs.
    """

    slice_ns: int
    start_ns: int
    file_ns: int
    first_slice: int
    pid: int
    part: int
    boot_id: str
    host: str
    library: str
    start_clock_state: int
    start_clock_error_us: int
    role: str
    heartbeat_ns: int
    end_ns: int
    end_reason: str
    clock_state: int
    clock_error_us: int


def machine_fields(h: Head) -> tuple[Any, ...]:
    """Return the values of MachineFields in its order."""
    return (
        h.slice_ns,
        h.start_ns,
        h.file_ns,
        h.first_slice,
        h.pid,
        h.part,
        boot_text(h.boot_id),
        clean_text(h.host),
        clean_text(h.library),
        h.start_clock_state,
        h.start_clock_error_us,
        name_of(MACHINE_ROLES, h.role),
        h.heartbeat_ns,
        h.end_ns,
        name_of(END_REASONS, h.end_reason),
        h.clock_state,
        h.clock_error_us,
    )
