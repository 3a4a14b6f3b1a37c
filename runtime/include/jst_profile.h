/* jst_profile.h: what a profile looks like, for the runtime and the decoder.
 * Made by tools/generate.py from schema/profile.toml; do not edit. */
/* clang-format off */
#ifndef JST_PROFILE_H
#define JST_PROFILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "jst_metrics.h"

#define JST_FORMAT_VERSION 2u
#define JST_MAGIC "jostle01" /* the first 8 bytes, without a NUL */

/* Width of a bin of wait_ns and offcpu_ns if the bins' shift is 0, ns. */
#define JST_BIN_NS 10000000u

/* Most payload bytes of a record or a stream entry. */
#define JST_PAYLOAD_MAX 1048576u

/* Size of this runtime's ring, its header included. */
#define JST_RING_BYTES 65536u

/* Number that a 'W' record has instead of a rank for all ranks that are not in its table. */
#define JST_PEERS_OTHERS 4294967295u

/* Number of places in this runtime's table of files; the first one is for all files without a place. */
#define JST_FILES 1024u

/* Number of places in this runtime's table of partners: one half for the thread that called MPI_Init, the other half for all other threads; the last place of each half is for all partners without a place. */
#define JST_PEERS 242u

/* Number of places in this runtime's table of collectives, in two halves as for partners. */
#define JST_COLLECTIVES 66u

/* Number of places in this runtime's table of GPUs; further GPUs are only in the sums of the process. */
#define JST_GPUS 16u

/* Number of NUMA nodes for which `node_samples` has a value. */
#define JST_NODE_SAMPLES 16u

/* Most bytes of a communicator's list of members; if the list is longer, only the communicator's size is recorded. */
#define JST_MEMBERS_MOST 2048u

/* Types of records. */
enum jst_record_type {
    JST_RECORD_SLICE = 'S', /* increases of the counters in one or a few slices */
    JST_RECORD_SLICE_LIKE = 'L', /* the same as `S`, stored as the difference from the last `S` record */
    JST_RECORD_MOUNT = 'M', /* names of the mount in a slot */
    JST_RECORD_CLOCK = 'C', /* change of the clock's state, or jump of the clock */
    JST_RECORD_NOTE = 'N', /* sentence for the user */
    JST_RECORD_SEGMENTS = 'G', /* part of the stream of segments */
    JST_RECORD_PEERS = 'W', /* bytes to and from each rank (no longer written) */
    JST_RECORD_TRAFFIC = 'T', /* increases of partners and collectives in one or a few slices */
    JST_RECORD_COMMUNICATOR = 'U', /* members of a communicator */
    JST_RECORD_GPU_SLICES = 'D', /* increases of the GPUs' counters in one or a few slices */
    JST_RECORD_COMPONENT = 'K', /* names of a component, before the first record with its values */
    JST_RECORD_COMPONENT_SLICES = 'X', /* increases of the components' counters in one or a few slices */
    JST_RECORD_SHORTS_HEADER = 'H', /* header that several `P` records share */
    JST_RECORD_SHORT_PROCESS = 'P', /* process that was too short for a profile */
};

/* Types of entries in the ring and in 'G' records. */
enum jst_entry_type {
    JST_STREAM_TOKEN = 't', /* kind of call that ends segments, before the first segment that it ended */
    JST_STREAM_SEGMENT = 's', /* segment */
};

/* Events of the decoder that come from no record of their own; all other events have the type of
 * their record. */
enum jst_event_type {
    JST_DECODE_EVENT_SHORT_MOUNT = 'p', /* mount of the short process whose event was the last one */
    JST_DECODE_EVENT_GPU = 'd', /* GPU, from its place in the table of GPUs */
};

/* How a process image ended. */
enum jst_end_reason {
    JST_END_NONE = 0, /* none */
    JST_END_EXIT = 1, /* exit */
    JST_END__EXIT = 2, /* _exit */
    JST_END_EXEC = 3, /* exec */
    JST_END_ABORT = 4, /* abort */
    JST_END_CONTINUED = 5, /* it did not end: a further file (part) continues this one */
};

/* State of the program's MPI. */
enum jst_mpi_state {
    JST_MPI_STATE_NONE = 0, /* none */
    JST_MPI_STATE_STARTING = 1, /* in MPI_Init */
    JST_MPI_STATE_INITIALISED = 2, /* initialised */
    JST_MPI_STATE_FINISHING = 3, /* in MPI_Finalize */
    JST_MPI_STATE_FINALISED = 4, /* finalised */
};

/* Whether MPI calls are counted. */
enum jst_adapter_state {
    JST_ADAPTER_NONE = 0, /* no MPI seen */
    JST_ADAPTER_LOADED = 1, /* adapter loaded */
    JST_ADAPTER_LACKING = 2, /* no adapter is installed for this MPI (its calls are not counted) */
    JST_ADAPTER_REFUSED = 3, /* the adapter does not fit this MPI (its calls are not counted) */
};

/* Why a segment ended. */
enum jst_segment_rule {
    JST_RULE_EVERY = 0, /* each global collective ends one */
    JST_RULE_COALESCED = 1, /* each 2^level-th global collective of one kind ends one */
    JST_RULE_EPOCH = 2, /* each 2^level-th call of another recurring kind ends one, too */
    JST_RULE_RAW = 3, /* as every, because JOSTLE_SEGMENTS is raw */
    JST_RULE_FINAL = 4, /* MPI_Finalize, or the end of the file */
};

/* How jobs use a machine. */
enum jst_machine_role {
    JST_ROLE_NODE = 0, /* node: jobs run on it */
    JST_ROLE_SERVER = 1, /* server: jobs use its file system */
};

/* Kinds of components of a machine. */
enum jst_component_kind {
    JST_KIND_MACHINE = 0, /* whole machine: its cores, memory and pressure */
    JST_KIND_SOCKET = 1, /* processor */
    JST_KIND_POWER = 2, /* domain whose energy is measured (RAPL): a processor, or a part such as its memory */
    JST_KIND_BATCH_JOB = 3, /* control group of a batch job */
    JST_KIND_DISK = 4, /* block device */
    JST_KIND_INTERFACE = 5, /* network interface */
    JST_KIND_PORT = 6, /* fabric port: InfiniBand, Omni-Path, Slingshot, EFA */
    JST_KIND_NFS_MOUNT = 7, /* NFS mount, client side */
    JST_KIND_NFS_SERVER = 8, /* NFS server */
    JST_KIND_LUSTRE_MOUNT = 9, /* Lustre mount, client side */
    JST_KIND_LUSTRE_OSC = 10, /* a Lustre client's requests to one OST */
    JST_KIND_LUSTRE_MDC = 11, /* a Lustre client's requests to one MDT */
    JST_KIND_LUSTRE_OST = 12, /* object storage target, on its server */
    JST_KIND_LUSTRE_MDT = 13, /* metadata target, on its server */
    JST_KIND_LUSTRE_JOB = 14, /* one job's requests to a target, on its server */
    JST_KIND_GPFS_MOUNT = 15, /* GPFS file system, client side */
    JST_KIND_GPFS_DISK = 16, /* GPFS network shared disk, on its server */
    JST_KIND_BEEGFS_CLIENT = 17, /* a client's requests to BeeGFS servers */
    JST_KIND_GPU = 18, /* GPU, or a MIG instance */
    JST_KIND_PROCESS = 19, /* process that the agent observes from outside; `others` (pid 0): all processes except the largest ones */
    JST_KIND_CEPH_OSD = 20, /* Ceph object server, on its host */
    JST_KIND_CEPH_MDS = 21, /* CephFS metadata server, on its host */
    JST_KIND_CEPH_REQUEST = 22, /* one kind of request to a CephFS metadata server */
    JST_KIND_CEPH_CLIENT = 23, /* a node's requests to a host's CephFS metadata servers */
    JST_KIND_CEPH_MOUNT = 24, /* CephFS mount, client side */
};

/* Bits of `present` in a segment: what it counts, in the order of its payload. */
enum jst_segment_bit {
    JST_SEGMENT_BIT_SET = 0,
    JST_SEGMENT_BIT_SENDS = 1,
    JST_SEGMENT_BIT_RECVS = 2,
    JST_SEGMENT_BIT_ISENDS = 3,
    JST_SEGMENT_BIT_IRECVS = 4,
    JST_SEGMENT_BIT_SENDRECVS = 5,
    JST_SEGMENT_BIT_P2P_BYTES = 6,
    JST_SEGMENT_BIT_P2P_ROOM = 7,
    JST_SEGMENT_BIT_ONE_TO_ALL = 8,
    JST_SEGMENT_BIT_ALL_TO_ONE = 9,
    JST_SEGMENT_BIT_ALL_TO_ALL = 10,
    JST_SEGMENT_BIT_BARRIERS = 11,
    JST_SEGMENT_BIT_SCANS = 12,
    JST_SEGMENT_BIT_NEIGHBORS = 13,
    JST_SEGMENT_BIT_COLLECTIVE_BYTES = 14,
    JST_SEGMENT_BIT_RMA_OPS = 15,
    JST_SEGMENT_BIT_RMA_BYTES = 16,
    JST_SEGMENT_BIT_OPENS = 17,
    JST_SEGMENT_BIT_CLOSES = 18,
    JST_SEGMENT_BIT_READS = 19,
    JST_SEGMENT_BIT_WRITES = 20,
    JST_SEGMENT_BIT_READ_BYTES = 21,
    JST_SEGMENT_BIT_WRITE_BYTES = 22,
    JST_SEGMENT_BIT_MPIIO_OPS = 23,
    JST_SEGMENT_BIT_MPIIO_BYTES = 24,
    JST_SEGMENT_BIT_MPI_NS = 25,
    JST_SEGMENT_BIT_IO_NS = 26,
    JST_SEGMENT_BIT_CPU_NS = 27,
    JST_SEGMENT_BIT_WAIT_NS = 28,
    JST_SEGMENT_BIT_OFFCPU_NS = 29,
    JST_SEGMENT_BIT_INSTRUCTIONS = 30,
    JST_SEGMENT_BIT_FLOPS = 31,
    JST_SEGMENT_BIT_WAIT_BINS = 32,
    JST_SEGMENT_BIT_OFFCPU_BINS = 33,
    JST_SEGMENT_BIT_OCCURRENCE = 34,
    JST_SEGMENT_BITS = 35
};

typedef struct jst_mount_slot {
    uint32_t major; /* major number of the mount's device */
    uint32_t minor; /* minor number of the mount's device */
    uint64_t fs_magic; /* type of the file system: f_type of statfs */
    uint64_t mnt_id; /* id of the mount in /proc/PID/mountinfo */
    _Atomic uint64_t used; /* 0: the slot is free */
} jst_mount_slot;

_Static_assert(offsetof(jst_mount_slot, major) == 0, "jst_mount_slot.major");
_Static_assert(offsetof(jst_mount_slot, minor) == 4, "jst_mount_slot.minor");
_Static_assert(offsetof(jst_mount_slot, fs_magic) == 8, "jst_mount_slot.fs_magic");
_Static_assert(offsetof(jst_mount_slot, mnt_id) == 16, "jst_mount_slot.mnt_id");
_Static_assert(offsetof(jst_mount_slot, used) == 24, "jst_mount_slot.used");
_Static_assert(sizeof(jst_mount_slot) == 32, "jst_mount_slot");

/* Cores on which the process's threads may run. The header has two bindings: the one with the
 * higher `number` is valid, the other one is written next. */
typedef struct jst_binding {
    /* 0: this binding is empty; else the number of bindings recorded so far */
    _Atomic uint64_t number;
    /* cores that the process's threads together may use, in the kernel's form `0-15,64-79`; `...`
     * at the end: the list was cut */
    char allowed_cpus[256];
    char allowed_nodes[64]; /* NUMA nodes of allowed_cpus, in the same form; empty: unknown */
    /* cores of the process's control group (`cpuset`), without such a group of the machine; empty:
     * unknown */
    char group_cpus[256];
    char group_nodes[64]; /* NUMA nodes of group_cpus */
} jst_binding;

_Static_assert(offsetof(jst_binding, number) == 0, "jst_binding.number");
_Static_assert(offsetof(jst_binding, allowed_cpus) == 8, "jst_binding.allowed_cpus");
_Static_assert(offsetof(jst_binding, allowed_nodes) == 264, "jst_binding.allowed_nodes");
_Static_assert(offsetof(jst_binding, group_cpus) == 328, "jst_binding.group_cpus");
_Static_assert(offsetof(jst_binding, group_nodes) == 584, "jst_binding.group_nodes");
_Static_assert(sizeof(jst_binding) == 648, "jst_binding");

typedef struct jst_head {
    /* ---- fixed: written once, before the file has its name ---- */
    uint8_t magic[8]; /* `jostle01` */
    uint32_t version; /* 1, or 2 where `L` records are possible */
    uint32_t head_bytes; /* offset of the first record */
    uint32_t cell_count; /* cells in a block */
    uint32_t block_offset; /* offset of the counter blocks */
    uint32_t block_bytes; /* size of a block: 64 bytes of header, `cell_count` u64 cells, padding */
    uint32_t block_capacity; /* blocks in the file */
    uint32_t table_offset; /* offset of the metric table */
    uint32_t table_bytes; /* length of the metric table */
    uint32_t commit_offset; /* offset of the first commit */
    uint32_t commit_bytes; /* size of a commit; the second commit follows the first */
    uint32_t table_crc; /* CRC-32 (IEEE) of the metric table */
    /* number of mount slots: 8, seven for one mount each, the last for all others */
    uint32_t mount_slots;
    uint32_t mount_stride; /* cells in a mount slot; slot s begins at cell s * mount_stride */
    /* bit 0: set in the profile of a machine, which has `K` and `X` records; all other bits are 0 */
    uint32_t flags;
    uint64_t slice_ns; /* slice length L; slice k is [k*L, (k+1)*L) of CLOCK_REALTIME */
    uint64_t start_ns; /* CLOCK_REALTIME when the library started in this process image */
    uint64_t file_ns; /* CLOCK_REALTIME when this file was created */
    /* slice that contains start_ns; if part is not 0, slice that contains file_ns */
    uint64_t first_slice;
    uint32_t pid; /* process id in the process's own PID namespace */
    uint32_t ppid; /* process id of the parent */
    uint32_t uid; /* real user id; readers ignore it and take the owner of the file */
    uint32_t gid; /* real group id */
    /* start of the process, field 22 of /proc/PID/stat (clock ticks since boot); 0: unknown */
    uint64_t proc_start;
    uint32_t sid; /* session id */
    /* 0 for the first file of a process image, n for the n-th further file; calls of unshare or
     * setns that need a process with one thread begin such a file */
    uint32_t part;
    uint8_t boot_id[16]; /* id of the machine's boot */
    char host[64]; /* node name */
    char job[128]; /* job name */
    char program[256]; /* path of the executable */
    char library[32]; /* version of libjostle */
    /* command line, arguments separated by spaces, cut to the size of this field; by default only
     * its first word ([`command_lines`](configuration.md)) */
    char command[512];
    /* return value of adjtimex at file_ns (0 ok ... 5 = TIME_ERROR: not synchronised) */
    uint32_t start_clock_state;
    uint32_t start_clock_error_us; /* maxerror of adjtimex at file_ns, µs */
    uint64_t pid_namespace; /* PID namespace of pid: inode of /proc/self/ns/pid; 0: unknown */
    /* ---- mpi: filled in when an MPI program reaches each state (mpi_account.c) ---- */
    /* 0 none, 1 in MPI_Init, 2 initialised, 3 in MPI_Finalize, 4 finalised */
    _Atomic uint32_t mpi_state;
    /* 0 no MPI seen, 1 adapter loaded, 2 no adapter is installed for this MPI (its calls are not
     * counted), 3 the adapter does not fit this MPI (its calls are not counted) */
    uint32_t mpi_adapter;
    uint32_t world_size; /* number of ranks in MPI_COMM_WORLD; 0: no MPI */
    uint32_t world_rank; /* rank in MPI_COMM_WORLD */
    uint32_t thread_level; /* 0 single, 1 funneled, 2 serialized, 3 multiple */
    uint32_t appnum; /* MPI_APPNUM */
    uint32_t spawned; /* 1: MPI_Comm_spawn started the process */
    uint32_t omp_threads; /* first number of OMP_NUM_THREADS; 0: unset */
    uint64_t mpi_init_ns; /* CLOCK_REALTIME when MPI_Init was called; 0 until then */
    uint64_t mpi_ready_ns; /* CLOCK_REALTIME when MPI_Init returned; 0 until then */
    uint64_t mpi_finalize_ns; /* CLOCK_REALTIME when MPI_Finalize was called; 0 until then */
    uint64_t mpi_end_ns; /* CLOCK_REALTIME when MPI_Finalize returned; 0 until then */
    char mpi_library[128]; /* first line of MPI_Get_library_version */
    /* name of the adapter, such as openmpi or mpich; empty: no adapter */
    char mpi_adapter_name[32];
    /* launcher of the ranks: orte, prrte, hydra, slurm or torch; empty: unknown */
    char launcher[32];
    char batch[64]; /* batch job, such as `slurm-123`; empty: none */
    char world[32]; /* id that all ranks of one mpirun or training launch share; empty: unknown */
    uint32_t ring_offset; /* offset of the ring of segments */
    uint32_t ring_bytes; /* size of the ring, its header included; 0: none */
    /* PAPI events that papi_1_count to papi_4_count count; empty where fewer were requested */
    char papi_names[4][32];
    /* requested hardware counters, a bit each: 0 instructions, 1 cycles, 2 llc_misses, 3
     * task_clock, 4 switches, 5 migrations, 6 faults, 8 to 11 PAPI events */
    uint32_t perf_asked;
    uint32_t perf_granted; /* counters that could be opened, in the bits of perf_asked */
    /* what an interpreter runs: a script's base name, a module or a class; empty: the program is
     * no interpreter, [`command_lines`](configuration.md) is `none`, or the library is older than
     * 0.5.0 */
    char script[128];
    uint32_t files_offset; /* offset of the table of files */
    uint32_t file_bytes; /* size of a place */
    uint32_t files_capacity; /* number of places; 0: no table */
    uint32_t role; /* 0 node: jobs run on it, 1 server: jobs use its file system */
    uint32_t peers_offset; /* offset of the table of partners */
    uint32_t peer_bytes; /* size of a place */
    uint32_t peers_capacity; /* number of places; 0: no table */
    uint32_t collectives_offset; /* offset of the table of collectives */
    uint32_t collective_bytes; /* size of a place */
    uint32_t collectives_capacity; /* number of places; 0: no table */
    uint32_t gpus_offset; /* offset of the table of GPUs */
    uint32_t gpu_bytes; /* size of a place */
    uint32_t gpus_capacity; /* number of places; 0: no table */
    uint8_t gap1[2048 - 1828];
    /* ---- live: written in place while the process runs ---- */
    _Atomic uint64_t generation; /* increases with each commit; commit `generation & 1` is valid */
    /* length of a tick of the counter by which calls are timed: nanoseconds, 32.32 fixed point */
    uint64_t tick_ns;
    uint64_t heartbeat_ns; /* CLOCK_REALTIME when the heartbeat last ran */
    uint64_t end_ns; /* CLOCK_REALTIME of the process image's orderly end; 0: none so far */
    /* 0 none, 1 exit, 2 _exit, 3 exec, 4 abort, 5 it did not end: a further file (part) continues
     * this one */
    uint32_t end_reason;
    /* number of blocks assigned so far; those beyond block_capacity are in memory, not in the file */
    _Atomic uint32_t blocks_used;
    uint32_t clock_state; /* return value of the latest adjtimex */
    uint32_t clock_error_us; /* maxerror of the latest adjtimex, µs */
    /* number of threads that got no block: their calls are not counted */
    _Atomic uint64_t lost_threads;
    uint64_t tick_now; /* value of the tick counter at heartbeat_ns; 0: unknown */
    jst_mount_slot mounts[8]; /* mount slots */
    /* first slice whose increases in the tables of partners and collectives are in no `T` record
     * yet */
    _Atomic uint64_t traffic_slice;
    /* first slice whose increases in the table of GPUs are in no `D` record yet */
    _Atomic uint64_t gpu_slice;
    /* number of used places in the table of GPUs; they are the first ones */
    _Atomic uint32_t gpus_used;
    uint8_t gap2[2392 - 2388];
    /* cores that the process may use: the binding with the higher `number` is valid */
    jst_binding bindings[2];
    /* for NUMA nodes 0, 1, ...: number of times that a thread which wanted a core was seen on the
     * node; only for processes that used a GPU and may run on several nodes */
    uint32_t node_samples[16];
    uint8_t gap3[4096 - 3752];
} jst_head;

_Static_assert(offsetof(jst_head, magic) == 0, "jst_head.magic");
_Static_assert(offsetof(jst_head, version) == 8, "jst_head.version");
_Static_assert(offsetof(jst_head, head_bytes) == 12, "jst_head.head_bytes");
_Static_assert(offsetof(jst_head, cell_count) == 16, "jst_head.cell_count");
_Static_assert(offsetof(jst_head, block_offset) == 20, "jst_head.block_offset");
_Static_assert(offsetof(jst_head, block_bytes) == 24, "jst_head.block_bytes");
_Static_assert(offsetof(jst_head, block_capacity) == 28, "jst_head.block_capacity");
_Static_assert(offsetof(jst_head, table_offset) == 32, "jst_head.table_offset");
_Static_assert(offsetof(jst_head, table_bytes) == 36, "jst_head.table_bytes");
_Static_assert(offsetof(jst_head, commit_offset) == 40, "jst_head.commit_offset");
_Static_assert(offsetof(jst_head, commit_bytes) == 44, "jst_head.commit_bytes");
_Static_assert(offsetof(jst_head, table_crc) == 48, "jst_head.table_crc");
_Static_assert(offsetof(jst_head, mount_slots) == 52, "jst_head.mount_slots");
_Static_assert(offsetof(jst_head, mount_stride) == 56, "jst_head.mount_stride");
_Static_assert(offsetof(jst_head, flags) == 60, "jst_head.flags");
_Static_assert(offsetof(jst_head, slice_ns) == 64, "jst_head.slice_ns");
_Static_assert(offsetof(jst_head, start_ns) == 72, "jst_head.start_ns");
_Static_assert(offsetof(jst_head, file_ns) == 80, "jst_head.file_ns");
_Static_assert(offsetof(jst_head, first_slice) == 88, "jst_head.first_slice");
_Static_assert(offsetof(jst_head, pid) == 96, "jst_head.pid");
_Static_assert(offsetof(jst_head, ppid) == 100, "jst_head.ppid");
_Static_assert(offsetof(jst_head, uid) == 104, "jst_head.uid");
_Static_assert(offsetof(jst_head, gid) == 108, "jst_head.gid");
_Static_assert(offsetof(jst_head, proc_start) == 112, "jst_head.proc_start");
_Static_assert(offsetof(jst_head, sid) == 120, "jst_head.sid");
_Static_assert(offsetof(jst_head, part) == 124, "jst_head.part");
_Static_assert(offsetof(jst_head, boot_id) == 128, "jst_head.boot_id");
_Static_assert(offsetof(jst_head, host) == 144, "jst_head.host");
_Static_assert(offsetof(jst_head, job) == 208, "jst_head.job");
_Static_assert(offsetof(jst_head, program) == 336, "jst_head.program");
_Static_assert(offsetof(jst_head, library) == 592, "jst_head.library");
_Static_assert(offsetof(jst_head, command) == 624, "jst_head.command");
_Static_assert(offsetof(jst_head, start_clock_state) == 1136, "jst_head.start_clock_state");
_Static_assert(offsetof(jst_head, start_clock_error_us) == 1140, "jst_head.start_clock_error_us");
_Static_assert(offsetof(jst_head, pid_namespace) == 1144, "jst_head.pid_namespace");
_Static_assert(offsetof(jst_head, mpi_state) == 1152, "jst_head.mpi_state");
_Static_assert(offsetof(jst_head, mpi_adapter) == 1156, "jst_head.mpi_adapter");
_Static_assert(offsetof(jst_head, world_size) == 1160, "jst_head.world_size");
_Static_assert(offsetof(jst_head, world_rank) == 1164, "jst_head.world_rank");
_Static_assert(offsetof(jst_head, thread_level) == 1168, "jst_head.thread_level");
_Static_assert(offsetof(jst_head, appnum) == 1172, "jst_head.appnum");
_Static_assert(offsetof(jst_head, spawned) == 1176, "jst_head.spawned");
_Static_assert(offsetof(jst_head, omp_threads) == 1180, "jst_head.omp_threads");
_Static_assert(offsetof(jst_head, mpi_init_ns) == 1184, "jst_head.mpi_init_ns");
_Static_assert(offsetof(jst_head, mpi_ready_ns) == 1192, "jst_head.mpi_ready_ns");
_Static_assert(offsetof(jst_head, mpi_finalize_ns) == 1200, "jst_head.mpi_finalize_ns");
_Static_assert(offsetof(jst_head, mpi_end_ns) == 1208, "jst_head.mpi_end_ns");
_Static_assert(offsetof(jst_head, mpi_library) == 1216, "jst_head.mpi_library");
_Static_assert(offsetof(jst_head, mpi_adapter_name) == 1344, "jst_head.mpi_adapter_name");
_Static_assert(offsetof(jst_head, launcher) == 1376, "jst_head.launcher");
_Static_assert(offsetof(jst_head, batch) == 1408, "jst_head.batch");
_Static_assert(offsetof(jst_head, world) == 1472, "jst_head.world");
_Static_assert(offsetof(jst_head, ring_offset) == 1504, "jst_head.ring_offset");
_Static_assert(offsetof(jst_head, ring_bytes) == 1508, "jst_head.ring_bytes");
_Static_assert(offsetof(jst_head, papi_names) == 1512, "jst_head.papi_names");
_Static_assert(offsetof(jst_head, perf_asked) == 1640, "jst_head.perf_asked");
_Static_assert(offsetof(jst_head, perf_granted) == 1644, "jst_head.perf_granted");
_Static_assert(offsetof(jst_head, script) == 1648, "jst_head.script");
_Static_assert(offsetof(jst_head, files_offset) == 1776, "jst_head.files_offset");
_Static_assert(offsetof(jst_head, file_bytes) == 1780, "jst_head.file_bytes");
_Static_assert(offsetof(jst_head, files_capacity) == 1784, "jst_head.files_capacity");
_Static_assert(offsetof(jst_head, role) == 1788, "jst_head.role");
_Static_assert(offsetof(jst_head, peers_offset) == 1792, "jst_head.peers_offset");
_Static_assert(offsetof(jst_head, peer_bytes) == 1796, "jst_head.peer_bytes");
_Static_assert(offsetof(jst_head, peers_capacity) == 1800, "jst_head.peers_capacity");
_Static_assert(offsetof(jst_head, collectives_offset) == 1804, "jst_head.collectives_offset");
_Static_assert(offsetof(jst_head, collective_bytes) == 1808, "jst_head.collective_bytes");
_Static_assert(offsetof(jst_head, collectives_capacity) == 1812, "jst_head.collectives_capacity");
_Static_assert(offsetof(jst_head, gpus_offset) == 1816, "jst_head.gpus_offset");
_Static_assert(offsetof(jst_head, gpu_bytes) == 1820, "jst_head.gpu_bytes");
_Static_assert(offsetof(jst_head, gpus_capacity) == 1824, "jst_head.gpus_capacity");
_Static_assert(offsetof(jst_head, generation) == 2048, "jst_head.generation");
_Static_assert(offsetof(jst_head, tick_ns) == 2056, "jst_head.tick_ns");
_Static_assert(offsetof(jst_head, heartbeat_ns) == 2064, "jst_head.heartbeat_ns");
_Static_assert(offsetof(jst_head, end_ns) == 2072, "jst_head.end_ns");
_Static_assert(offsetof(jst_head, end_reason) == 2080, "jst_head.end_reason");
_Static_assert(offsetof(jst_head, blocks_used) == 2084, "jst_head.blocks_used");
_Static_assert(offsetof(jst_head, clock_state) == 2088, "jst_head.clock_state");
_Static_assert(offsetof(jst_head, clock_error_us) == 2092, "jst_head.clock_error_us");
_Static_assert(offsetof(jst_head, lost_threads) == 2096, "jst_head.lost_threads");
_Static_assert(offsetof(jst_head, tick_now) == 2104, "jst_head.tick_now");
_Static_assert(offsetof(jst_head, mounts) == 2112, "jst_head.mounts");
_Static_assert(offsetof(jst_head, traffic_slice) == 2368, "jst_head.traffic_slice");
_Static_assert(offsetof(jst_head, gpu_slice) == 2376, "jst_head.gpu_slice");
_Static_assert(offsetof(jst_head, gpus_used) == 2384, "jst_head.gpus_used");
_Static_assert(offsetof(jst_head, bindings) == 2392, "jst_head.bindings");
_Static_assert(offsetof(jst_head, node_samples) == 3688, "jst_head.node_samples");
_Static_assert(sizeof(jst_head) == 4096, "jst_head");

/* The counts that records already hold (docs/reference/profile-format.md). */
typedef struct jst_commit {
    uint64_t records_end; /* file offset at which the records end */
    uint64_t open_slice; /* first slice that no record covers */
    uint64_t base[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_commit;

_Static_assert(offsetof(jst_commit, records_end) == 0, "jst_commit.records_end");
_Static_assert(offsetof(jst_commit, open_slice) == 8, "jst_commit.open_slice");
_Static_assert(offsetof(jst_commit, base) == 16, "jst_commit.base");

/* One thread's counters, which never decrease. Only this thread writes them; the heartbeat reads
 * them. Block 0 is the heartbeat's own (os and self metrics). The words before the cells belong to
 * the thread, too. */
typedef struct jst_block {
    _Atomic uint32_t tid; /* id of the thread; 0: the block was never used */
    /* cell of the timer (`state_*` or `gpu_wait_ns`) of the call in progress; 0: none */
    uint32_t mark;
    uint8_t gap1[16 - 8];
    uint64_t since; /* ticks when the call in progress began */
    uint64_t signature; /* sum of token hashes since the thread started (segment.c) */
    uint64_t kinds; /* set of the tokens of calls since the segment began */
    uint64_t cpu_ticks; /* ticks when the thread's CPU clock was last read */
    uint64_t cpu_ns; /* CPU time that was read at cpu_ticks */
    uint64_t call_ticks; /* time in MPI calls since cpu_ticks, ticks */
    uint64_t cells[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_block;

_Static_assert(offsetof(jst_block, tid) == 0, "jst_block.tid");
_Static_assert(offsetof(jst_block, mark) == 4, "jst_block.mark");
_Static_assert(offsetof(jst_block, since) == 16, "jst_block.since");
_Static_assert(offsetof(jst_block, signature) == 24, "jst_block.signature");
_Static_assert(offsetof(jst_block, kinds) == 32, "jst_block.kinds");
_Static_assert(offsetof(jst_block, cpu_ticks) == 40, "jst_block.cpu_ticks");
_Static_assert(offsetof(jst_block, cpu_ns) == 48, "jst_block.cpu_ns");
_Static_assert(offsetof(jst_block, call_ticks) == 56, "jst_block.call_ticks");
_Static_assert(offsetof(jst_block, cells) == 64, "jst_block.cells");

/* Segments that no record holds yet: the program's threads write them, the heartbeat removes them. */
typedef struct jst_ring {
    _Atomic uint64_t written; /* number of bytes ever added */
    _Atomic uint64_t drained; /* number of these bytes that records hold */
    uint8_t gap1[64 - 16];
    uint8_t data[JST_RING_BYTES - 64];
} jst_ring;

_Static_assert(offsetof(jst_ring, written) == 0, "jst_ring.written");
_Static_assert(offsetof(jst_ring, drained) == 8, "jst_ring.drained");
_Static_assert(offsetof(jst_ring, data) == 64, "jst_ring.data");

/* Use of one file: by the thread that used it first, and by all others. */
typedef struct jst_file {
    /* hash of the path, equal in all processes; 0: the place is free. In place 0: number of files
     * that it stands for */
    _Atomic uint64_t hash;
    _Atomic uint64_t key; /* no meaning outside the process */
    uint16_t mount; /* mount slot of the file; without meaning in place 0 */
    /* format of the file, known if calls read or wrote its first bytes: 1 HDF5 (also netCDF-4), 2
     * netCDF classic, 0 another or unknown */
    uint16_t format;
    uint32_t users; /* number of open descriptors of the file */
    _Atomic uint64_t owner; /* no meaning outside the process */
    /* opens by the thread that used the file first; all fields up to write_ticks count this thread
     * only */
    uint64_t opens;
    uint64_t meta_ticks; /* time in open, close and other calls, ticks */
    uint64_t reads; /* read calls */
    uint64_t read_bytes;
    uint64_t read_ticks;
    uint64_t writes;
    uint64_t write_bytes;
    uint64_t write_ticks;
    /* opens by all other threads; all fields up to other_write_ticks count these threads */
    uint64_t other_opens;
    uint64_t other_meta_ticks;
    uint64_t other_reads;
    uint64_t other_read_bytes;
    uint64_t other_read_ticks;
    uint64_t other_writes;
    uint64_t other_write_bytes;
    uint64_t other_write_ticks;
    uint64_t syncs; /* sync calls of all threads */
    uint64_t sync_ticks; /* time in these calls, ticks */
    /* path; if it is longer than 79 bytes, its last 79 or 78 bytes, which do not begin with `/`;
     * empty if names are not recorded */
    char name[80];
} jst_file;

_Static_assert(offsetof(jst_file, hash) == 0, "jst_file.hash");
_Static_assert(offsetof(jst_file, key) == 8, "jst_file.key");
_Static_assert(offsetof(jst_file, mount) == 16, "jst_file.mount");
_Static_assert(offsetof(jst_file, format) == 18, "jst_file.format");
_Static_assert(offsetof(jst_file, users) == 20, "jst_file.users");
_Static_assert(offsetof(jst_file, owner) == 24, "jst_file.owner");
_Static_assert(offsetof(jst_file, opens) == 32, "jst_file.opens");
_Static_assert(offsetof(jst_file, meta_ticks) == 40, "jst_file.meta_ticks");
_Static_assert(offsetof(jst_file, reads) == 48, "jst_file.reads");
_Static_assert(offsetof(jst_file, read_bytes) == 56, "jst_file.read_bytes");
_Static_assert(offsetof(jst_file, read_ticks) == 64, "jst_file.read_ticks");
_Static_assert(offsetof(jst_file, writes) == 72, "jst_file.writes");
_Static_assert(offsetof(jst_file, write_bytes) == 80, "jst_file.write_bytes");
_Static_assert(offsetof(jst_file, write_ticks) == 88, "jst_file.write_ticks");
_Static_assert(offsetof(jst_file, other_opens) == 96, "jst_file.other_opens");
_Static_assert(offsetof(jst_file, other_meta_ticks) == 104, "jst_file.other_meta_ticks");
_Static_assert(offsetof(jst_file, other_reads) == 112, "jst_file.other_reads");
_Static_assert(offsetof(jst_file, other_read_bytes) == 120, "jst_file.other_read_bytes");
_Static_assert(offsetof(jst_file, other_read_ticks) == 128, "jst_file.other_read_ticks");
_Static_assert(offsetof(jst_file, other_writes) == 136, "jst_file.other_writes");
_Static_assert(offsetof(jst_file, other_write_bytes) == 144, "jst_file.other_write_bytes");
_Static_assert(offsetof(jst_file, other_write_ticks) == 152, "jst_file.other_write_ticks");
_Static_assert(offsetof(jst_file, syncs) == 160, "jst_file.syncs");
_Static_assert(offsetof(jst_file, sync_ticks) == 168, "jst_file.sync_ticks");
_Static_assert(offsetof(jst_file, name) == 176, "jst_file.name");
_Static_assert(sizeof(jst_file) == 256, "jst_file");

/* Traffic to and from one rank. Numbers never decrease, even when another rank gets the place. */
typedef struct jst_peer {
    /* 0: the place is free, 1: it is for all ranks without a place, else rank in MPI_COMM_WORLD
     * plus 2 */
    _Atomic uint64_t key;
    uint64_t sent_ops; /* messages sent to the rank */
    uint64_t sent_bytes;
    uint64_t received_ops; /* messages received from the rank */
    uint64_t received_bytes; /* bytes of received messages of known size */
    uint64_t received_room; /* buffer size of received messages of unknown size */
} jst_peer;

_Static_assert(offsetof(jst_peer, key) == 0, "jst_peer.key");
_Static_assert(offsetof(jst_peer, sent_ops) == 8, "jst_peer.sent_ops");
_Static_assert(offsetof(jst_peer, sent_bytes) == 16, "jst_peer.sent_bytes");
_Static_assert(offsetof(jst_peer, received_ops) == 24, "jst_peer.received_ops");
_Static_assert(offsetof(jst_peer, received_bytes) == 32, "jst_peer.received_bytes");
_Static_assert(offsetof(jst_peer, received_room) == 40, "jst_peer.received_room");
_Static_assert(sizeof(jst_peer) == 48, "jst_peer");

/* One collective operation of one communicator. Numbers never decrease. */
typedef struct jst_collective {
    /* 0: the place is free, 1: it is for all collectives without a place, 2: it is for the
     * collective below */
    _Atomic uint32_t state;
    /* hash of the members' ranks in MPI_COMM_WORLD, in order; 0: MPI_COMM_WORLD itself */
    uint32_t communicator;
    uint32_t root; /* root's rank in MPI_COMM_WORLD; 4294967295: no root */
    uint8_t gap1[16 - 12];
    uint64_t ops; /* number of calls */
    uint64_t bytes; /* bytes, counted as in the metrics of collectives */
    char operation[32]; /* function, such as `MPI_Allreduce` */
} jst_collective;

_Static_assert(offsetof(jst_collective, state) == 0, "jst_collective.state");
_Static_assert(offsetof(jst_collective, communicator) == 4, "jst_collective.communicator");
_Static_assert(offsetof(jst_collective, root) == 8, "jst_collective.root");
_Static_assert(offsetof(jst_collective, ops) == 16, "jst_collective.ops");
_Static_assert(offsetof(jst_collective, bytes) == 24, "jst_collective.bytes");
_Static_assert(offsetof(jst_collective, operation) == 32, "jst_collective.operation");
_Static_assert(sizeof(jst_collective) == 64, "jst_collective");

/* One GPU that the process used. Its description is complete before `gpus_used` counts it, and
 * does not change. */
typedef struct jst_gpu {
    uint32_t numa; /* NUMA node of the GPU plus 1; 0: unknown */
    uint8_t gap1[8 - 4];
    uint64_t memory_bytes; /* size of the GPU's memory; 0: unknown */
    char pci[24]; /* PCI bus id, such as `0000:3b:00.0`; empty: unknown */
    char uuid[64]; /* UUID from the driver; `MIG-...`: an instance of a divided GPU */
    char name[64]; /* model of the GPU */
    char path[192]; /* path below `/sys/devices`; empty: unknown */
    uint8_t gap2[384 - 360];
    /* counters, which never decrease. 15: for copies to the GPU, from it, within it and between
     * GPUs, and for fills, each time operations, bytes and ns. 4: kernels launched, graphs
     * launched, records lost, ns in which the GPU computed. 5: unused */
    uint64_t words[24];
} jst_gpu;

_Static_assert(offsetof(jst_gpu, numa) == 0, "jst_gpu.numa");
_Static_assert(offsetof(jst_gpu, memory_bytes) == 8, "jst_gpu.memory_bytes");
_Static_assert(offsetof(jst_gpu, pci) == 16, "jst_gpu.pci");
_Static_assert(offsetof(jst_gpu, uuid) == 40, "jst_gpu.uuid");
_Static_assert(offsetof(jst_gpu, name) == 104, "jst_gpu.name");
_Static_assert(offsetof(jst_gpu, path) == 168, "jst_gpu.path");
_Static_assert(offsetof(jst_gpu, words) == 384, "jst_gpu.words");
_Static_assert(sizeof(jst_gpu) == 576, "jst_gpu");

#endif
