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

/* Width of a segment's bin of wait_ns and offcpu_ns at shift 0, ns. */
#define JST_BIN_NS 10000000u

/* Most bytes in the payload of a record, and of an entry of the stream. */
#define JST_PAYLOAD_MAX 1048576u

/* Size of the ring that this runtime makes, with its head. */
#define JST_RING_BYTES 65536u

/* The rank of a 'W' record for all ranks beyond its table. */
#define JST_PEERS_OTHERS 4294967295u

/* Places for files that this runtime makes; the first is that of all others. */
#define JST_FILES 1024u

/* Places for partners that this runtime makes: half of them for the thread that called MPI_Init, half for all others; the last of each half is that of all other partners. */
#define JST_PEERS 242u

/* The same of collectives. */
#define JST_COLLECTIVES 66u

/* Places for GPUs that this runtime makes; what further ones do is in the sums of the process alone. */
#define JST_GPUS 16u

/* NUMA nodes of which it is counted how often threads were seen there. */
#define JST_NODE_SAMPLES 16u

/* Most bytes that list the members of a communicator; beyond that only its size is recorded. */
#define JST_MEMBERS_MOST 2048u

/* The types of records. */
enum jst_record_type {
    JST_RECORD_SLICE = 'S', /* what the counters gained in one slice, or in a few */
    JST_RECORD_SLICE_LIKE = 'L', /* the same, by what differs from the newest `S` record before it */
    JST_RECORD_MOUNT = 'M', /* names of the mount in a slot */
    JST_RECORD_CLOCK = 'C', /* a change of the clock's state, or a jump of it */
    JST_RECORD_NOTE = 'N', /* a sentence for the user */
    JST_RECORD_SEGMENTS = 'G', /* a piece of the stream of entries */
    JST_RECORD_PEERS = 'W', /* bytes sent to and received from each rank (no longer written) */
    JST_RECORD_TRAFFIC = 'T', /* what was sent, received and done in collectives in one slice, or in a few */
    JST_RECORD_COMMUNICATOR = 'U', /* members of a communicator */
    JST_RECORD_GPU_SLICES = 'D', /* what the GPUs gained in one slice, or in a few */
    JST_RECORD_COMPONENT = 'K', /* names of a component, before the first record with its values */
    JST_RECORD_COMPONENT_SLICES = 'X', /* what the components gained in one slice, or in a few */
    JST_RECORD_SHORTS_HEADER = 'H', /* what its short processes have in common */
    JST_RECORD_SHORT_PROCESS = 'P', /* one process that was too short for a profile */
};

/* The types of entries in the ring and in 'G' records. */
enum jst_entry_type {
    JST_STREAM_TOKEN = 't', /* a kind of call, before the first segment that names it */
    JST_STREAM_SEGMENT = 's', /* one segment */
};

/* Events of the decoder that are no record of their own; all others have their record's type. */
enum jst_event_type {
    JST_DECODE_EVENT_SHORT_MOUNT = 'p', /* a mount of the short process before it */
    JST_DECODE_EVENT_GPU = 'd', /* a GPU, from its place in the head */
};

/* How a process image ended. */
enum jst_end_reason {
    JST_END_NONE = 0, /* none */
    JST_END_EXIT = 1, /* exit */
    JST_END__EXIT = 2, /* _exit */
    JST_END_EXEC = 3, /* exec */
    JST_END_ABORT = 4, /* abort */
    JST_END_CONTINUED = 5, /* continued in the next part */
};

/* How far the program's MPI is. */
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
    JST_ADAPTER_LOADED = 1, /* loaded */
    JST_ADAPTER_LACKING = 2, /* an MPI was found for which no adapter is installed (its calls are not counted) */
    JST_ADAPTER_REFUSED = 3, /* its adapter refused */
};

/* Why a segment ended where it did. */
enum jst_segment_rule {
    JST_RULE_EVERY = 0, /* at each delimiter */
    JST_RULE_COALESCED = 1, /* at each 2^level-th delimiter */
    JST_RULE_EPOCH = 2, /* at an epoch */
    JST_RULE_RAW = 3, /* at each call */
    JST_RULE_FINAL = 4, /* at MPI_Finalize or the file's end */
};

/* What a machine is to the jobs. */
enum jst_machine_role {
    JST_ROLE_NODE = 0, /* a node: jobs run on it */
    JST_ROLE_SERVER = 1, /* a server: jobs use its file system */
};

/* What a component of a machine is. */
enum jst_component_kind {
    JST_KIND_MACHINE = 0, /* the machine as a whole: its cores, memory and pressure */
    JST_KIND_SOCKET = 1, /* a processor */
    JST_KIND_POWER = 2, /* a domain whose energy is measured */
    JST_KIND_BATCH_JOB = 3, /* the control group of a batch job */
    JST_KIND_DISK = 4, /* a block device */
    JST_KIND_INTERFACE = 5, /* a network interface */
    JST_KIND_PORT = 6, /* a port of a fabric: InfiniBand, Omni-Path, Slingshot, EFA */
    JST_KIND_NFS_MOUNT = 7, /* an NFS mount, as its client */
    JST_KIND_NFS_SERVER = 8, /* an NFS server */
    JST_KIND_LUSTRE_MOUNT = 9, /* a Lustre mount, as its client */
    JST_KIND_LUSTRE_OSC = 10, /* a Lustre client's requests to one OST */
    JST_KIND_LUSTRE_MDC = 11, /* a Lustre client's requests to one MDT */
    JST_KIND_LUSTRE_OST = 12, /* an object storage target, on its server */
    JST_KIND_LUSTRE_MDT = 13, /* a metadata target, on its server */
    JST_KIND_LUSTRE_JOB = 14, /* one job's requests to a target, on its server */
    JST_KIND_GPFS_MOUNT = 15, /* a GPFS file system, as its client */
    JST_KIND_GPFS_DISK = 16, /* a GPFS network shared disk, on its server */
    JST_KIND_BEEGFS_CLIENT = 17, /* one client's requests to BeeGFS servers */
    JST_KIND_GPU = 18, /* a GPU, or an instance of one (MIG) */
    JST_KIND_PROCESS = 19, /* a process, seen from outside; `others` (pid 0): all that are not among the largest */
    JST_KIND_CEPH_OSD = 20, /* an object server of Ceph, on its host */
    JST_KIND_CEPH_MDS = 21, /* a metadata server of CephFS, on its host */
    JST_KIND_CEPH_REQUEST = 22, /* one kind of request to a metadata server of CephFS */
    JST_KIND_CEPH_CLIENT = 23, /* one node's requests to the metadata servers of CephFS on a host */
    JST_KIND_CEPH_MOUNT = 24, /* a CephFS mount, as its client */
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
    uint32_t major; /* device number, major */
    uint32_t minor; /* device number, minor */
    uint64_t fs_magic; /* f_type of statfs */
    uint64_t mnt_id; /* id in /proc/PID/mountinfo */
    _Atomic uint64_t used; /* 0: the slot is free */
} jst_mount_slot;

_Static_assert(offsetof(jst_mount_slot, major) == 0, "jst_mount_slot.major");
_Static_assert(offsetof(jst_mount_slot, minor) == 4, "jst_mount_slot.minor");
_Static_assert(offsetof(jst_mount_slot, fs_magic) == 8, "jst_mount_slot.fs_magic");
_Static_assert(offsetof(jst_mount_slot, mnt_id) == 16, "jst_mount_slot.mnt_id");
_Static_assert(offsetof(jst_mount_slot, used) == 24, "jst_mount_slot.used");
_Static_assert(sizeof(jst_mount_slot) == 32, "jst_mount_slot");

/* On which cores the threads of the process may run. Of the two places in the head the one with
 * the higher number holds; the other is written next. */
typedef struct jst_binding {
    _Atomic uint64_t number; /* 0: nothing is said here; else how often a binding was said so far */
    /* cores that its threads may run on together, as the kernel lists them: `0-15,64-79`; one that
     * ends with `...` goes on */
    char allowed_cpus[256];
    char allowed_nodes[64]; /* NUMA nodes of these cores, listed in the same way; empty: unknown */
    /* cores that its control group has (`cpuset`), or else all cores of the machine; empty:
     * unknown */
    char group_cpus[256];
    char group_nodes[64]; /* NUMA nodes of these */
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
    uint32_t version; /* 1, or 2 where there may be `L` records */
    uint32_t head_bytes; /* offset of the first record */
    uint32_t cell_count; /* cells in a block */
    uint32_t block_offset; /* of the counter blocks */
    uint32_t block_bytes; /* 64 bytes of block header, then `cell_count` u64 cells, then padding */
    uint32_t block_capacity; /* blocks in the file */
    uint32_t table_offset; /* of the text of the metric table */
    uint32_t table_bytes; /* length of the text */
    uint32_t commit_offset; /* of the first commit */
    uint32_t commit_bytes; /* size of one commit; the second follows the first */
    uint32_t table_crc; /* CRC-32 (IEEE) of the table text: the schema's fingerprint */
    uint32_t mount_slots; /* 8: seven mounts and, last, "other" */
    uint32_t mount_stride; /* cells per mount; slot s begins at cell s * mount_stride */
    uint32_t flags; /* bit 0: the profile of a machine, with `K` and `X` records; else 0 */
    uint64_t slice_ns; /* slice length L; slice k is [k*L, (k+1)*L) of CLOCK_REALTIME */
    uint64_t start_ns; /* CLOCK_REALTIME when the library came up in this process image */
    uint64_t file_ns; /* CLOCK_REALTIME when this file was made */
    uint64_t first_slice; /* slice that start_ns lies in; file_ns in a further part */
    uint32_t pid; /* its process id, in its PID namespace */
    uint32_t ppid; /* that of its parent */
    uint32_t uid; /* its real user id; readers take the file's owner instead */
    uint32_t gid; /* its real group id */
    uint64_t proc_start; /* field 22 of /proc/PID/stat (ticks since boot), 0 when unknown */
    uint32_t sid; /* session id */
    /* 0; n for the n-th file of the same process image (after an unshare or setns that needs one
     * thread) */
    uint32_t part;
    uint8_t boot_id[16]; /* which start of the machine it ran in */
    char host[64]; /* name of the node */
    char job[128]; /* name of its job */
    char program[256]; /* path of the executable */
    char library[32]; /* version of libjostle */
    /* command line, arguments separated by spaces, cut; by default only the first word
     * ([`command_lines`](configuration.md)) */
    char command[512];
    /* return value of adjtimex at file_ns (0 ok ... 5 = TIME_ERROR: not synchronised) */
    uint32_t start_clock_state;
    uint32_t start_clock_error_us; /* its maxerror, µs */
    /* inode of /proc/self/ns/pid: pid means something only there; 0 when unknown */
    uint64_t pid_namespace;
    /* ---- mpi: filled in as an MPI program gets there (mpi_account.c) ---- */
    /* 0 none, 1 in MPI_Init, 2 initialised, 3 in MPI_Finalize, 4 finalised */
    _Atomic uint32_t mpi_state;
    /* 0 no MPI seen, 1 loaded, 2 an MPI was found for which no adapter is installed (its calls are
     * not counted), 3 its adapter refused */
    uint32_t mpi_adapter;
    uint32_t world_size; /* ranks of MPI_COMM_WORLD, 0 without MPI */
    uint32_t world_rank; /* its rank of MPI_COMM_WORLD */
    uint32_t thread_level; /* 0 single, 1 funneled, 2 serialized, 3 multiple */
    uint32_t appnum; /* MPI_APPNUM */
    uint32_t spawned; /* 1: it has a parent (MPI_Comm_spawn) */
    uint32_t omp_threads; /* first number of OMP_NUM_THREADS, 0 when unset */
    uint64_t mpi_init_ns; /* CLOCK_REALTIME when MPI_Init was called */
    uint64_t mpi_ready_ns; /* when it had returned */
    uint64_t mpi_finalize_ns; /* when MPI_Finalize was called */
    uint64_t mpi_end_ns; /* when it had returned; each 0 until then */
    char mpi_library[128]; /* first line of MPI_Get_library_version */
    char mpi_adapter_name[32]; /* such as openmpi or mpich; empty: no adapter */
    /* what started the ranks: orte, prrte, hydra, slurm or torch; empty: unknown */
    char launcher[32];
    char batch[64]; /* the batch system's job, such as `slurm-123`; empty: none */
    /* what the ranks of one mpirun or of one training launch have in common; empty: unknown */
    char world[32];
    uint32_t ring_offset; /* of the ring of segments */
    uint32_t ring_bytes; /* its size with its head, 0: none */
    /* names of the events in papi_1_count to papi_4_count; empty where fewer were asked for */
    char papi_names[4][32];
    /* bits: 0 instructions, 1 cycles, 2 llc_misses, 3 task_clock, 4 switches, 5 migrations, 6
     * faults; 8 to 11 the PAPI events */
    uint32_t perf_asked;
    uint32_t perf_granted; /* the same bits */
    /* what an interpreter runs: the base name of a script, a module or a class, without arguments;
     * empty for other programs, where [`command_lines`](configuration.md) is `none`, and in
     * profiles of versions before 0.5.0 */
    char script[128];
    uint32_t files_offset; /* of the table of files */
    uint32_t file_bytes; /* size of one place in it */
    uint32_t files_capacity; /* places in it, 0: none */
    uint32_t role; /* 0 a node: jobs run on it, 1 a server: jobs use its file system */
    uint32_t peers_offset; /* of the table of partners */
    uint32_t peer_bytes; /* size of one place in it */
    uint32_t peers_capacity; /* places in it, 0: none */
    uint32_t collectives_offset; /* of the table of collectives */
    uint32_t collective_bytes; /* size of one place in it */
    uint32_t collectives_capacity; /* places in it, 0: none */
    uint32_t gpus_offset; /* of the table of GPUs */
    uint32_t gpu_bytes; /* size of one place in it */
    uint32_t gpus_capacity; /* places in it, 0: none */
    uint8_t gap1[2048 - 1828];
    /* ---- live: written in place while the process runs ---- */
    _Atomic uint64_t generation; /* commit number `generation & 1` is valid */
    uint64_t tick_ns; /* nanoseconds per tick, 32.32 fixed point */
    uint64_t heartbeat_ns; /* CLOCK_REALTIME of the latest tick of the heartbeat */
    uint64_t end_ns; /* 0 while the process image runs; CLOCK_REALTIME of its orderly end */
    /* 0 none, 1 exit, 2 _exit, 3 exec, 4 abort, 5 continued in the next part */
    uint32_t end_reason;
    /* blocks ever handed out (more than block_capacity: the rest is in memory) */
    _Atomic uint32_t blocks_used;
    uint32_t clock_state; /* newest adjtimex */
    uint32_t clock_error_us; /* its maxerror, µs */
    _Atomic uint64_t lost_threads; /* threads that found no block (their calls are not counted) */
    uint64_t tick_now; /* ticks at heartbeat_ns, 0 when unknown */
    jst_mount_slot mounts[8]; /* one for each mount slot */
    /* slice from which on no `T` record holds what the tables of partners and collectives gained */
    _Atomic uint64_t traffic_slice;
    /* slice from which on no `D` record holds what the table of GPUs gained */
    _Atomic uint64_t gpu_slice;
    _Atomic uint32_t gpus_used; /* places in the table of GPUs that are taken, the first ones */
    uint8_t gap2[2392 - 2388];
    jst_binding bindings[2]; /* on which cores it may run: the one with the higher number holds */
    /* how often a thread that wanted a core was seen on a core of NUMA node 0, 1, ...; only of
     * processes that have used a GPU and may run on several nodes */
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

/* What the records already hold; see the page. */
typedef struct jst_commit {
    uint64_t records_end; /* where the records end, as an offset in the file */
    uint64_t open_slice; /* slice that what no record holds belongs to */
    uint64_t base[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_commit;

_Static_assert(offsetof(jst_commit, records_end) == 0, "jst_commit.records_end");
_Static_assert(offsetof(jst_commit, open_slice) == 8, "jst_commit.open_slice");
_Static_assert(offsetof(jst_commit, base) == 16, "jst_commit.base");

/* One thread's counters. Only this thread writes; they grow for ever, and the heartbeat only
 * reads. Block 0 is the heartbeat's own (os and self metrics). The words before the cells belong
 * to the thread, too. */
typedef struct jst_block {
    _Atomic uint32_t tid; /* its thread, 0: never used */
    uint32_t mark; /* state mark: the cell of the `state_*` timer in progress, 0: none */
    uint8_t gap1[16 - 8];
    uint64_t since; /* ticks when the marked call began */
    uint64_t signature; /* sum of token hashes since the thread came up (segment.c) */
    uint64_t kinds; /* set of tokens since the segment began */
    uint64_t cpu_ticks; /* when the thread's CPU clock was read last, ticks */
    uint64_t cpu_ns; /* the CPU time that was read then */
    uint64_t call_ticks; /* time in MPI calls since then */
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

/* Segments on their way into records: the program's threads write, the heartbeat drains. */
typedef struct jst_ring {
    _Atomic uint64_t written; /* bytes ever put in */
    _Atomic uint64_t drained; /* bytes that records hold */
    uint8_t gap1[64 - 16];
    uint8_t data[JST_RING_BYTES - 64];
} jst_ring;

_Static_assert(offsetof(jst_ring, written) == 0, "jst_ring.written");
_Static_assert(offsetof(jst_ring, drained) == 8, "jst_ring.drained");
_Static_assert(offsetof(jst_ring, data) == 64, "jst_ring.data");

/* What one file was used for: by the thread that used it first, and by all others. */
typedef struct jst_file {
    /* of its path, equal in all processes; 0: the place is free. Of place 0: how many files were
     * put together there */
    _Atomic uint64_t hash;
    _Atomic uint64_t key; /* no meaning outside the process */
    uint16_t mount; /* mount slot; of place 0: none */
    /* what its first bytes say, where they were seen to be read or written: 1 HDF5 (of which
     * netCDF-4 is a use), 2 netCDF classic; 0: another, or not seen */
    uint16_t format;
    uint32_t users; /* descriptors that stand for it */
    _Atomic uint64_t owner; /* no meaning outside the process */
    uint64_t opens; /* by the thread that used it first */
    uint64_t meta_ticks; /* its time in open, close and other calls on the descriptor, ticks */
    uint64_t reads; /* its calls */
    uint64_t read_bytes;
    uint64_t read_ticks;
    uint64_t writes;
    uint64_t write_bytes;
    uint64_t write_ticks;
    uint64_t other_opens; /* the same of all other threads */
    uint64_t other_meta_ticks;
    uint64_t other_reads;
    uint64_t other_read_bytes;
    uint64_t other_read_ticks;
    uint64_t other_writes;
    uint64_t other_write_bytes;
    uint64_t other_write_ticks;
    uint64_t syncs; /* calls of all threads */
    uint64_t sync_ticks; /* time in them, ticks */
    /* its path; of a longer one the last 79 bytes or 78, which then do not begin with `/`; empty
     * without names */
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

/* What was sent to and received from one rank. The numbers grow for ever, also where the place is
 * given to another rank. */
typedef struct jst_peer {
    _Atomic uint64_t key; /* 0: free, 1: all others, else the rank of MPI_COMM_WORLD plus 2 */
    uint64_t sent_ops; /* messages */
    uint64_t sent_bytes;
    uint64_t received_ops; /* messages */
    uint64_t received_bytes; /* of those whose size is known */
    uint64_t received_room; /* room for those whose size is not known */
} jst_peer;

_Static_assert(offsetof(jst_peer, key) == 0, "jst_peer.key");
_Static_assert(offsetof(jst_peer, sent_ops) == 8, "jst_peer.sent_ops");
_Static_assert(offsetof(jst_peer, sent_bytes) == 16, "jst_peer.sent_bytes");
_Static_assert(offsetof(jst_peer, received_ops) == 24, "jst_peer.received_ops");
_Static_assert(offsetof(jst_peer, received_bytes) == 32, "jst_peer.received_bytes");
_Static_assert(offsetof(jst_peer, received_room) == 40, "jst_peer.received_room");
_Static_assert(sizeof(jst_peer) == 48, "jst_peer");

/* One collective operation of one communicator. The numbers grow for ever, as those of a partner. */
typedef struct jst_collective {
    _Atomic uint32_t state; /* 0: free, 1: all others, 2: as described below */
    uint32_t communicator; /* hash of the world ranks of its members in order; 0: MPI_COMM_WORLD */
    uint32_t root; /* its rank of MPI_COMM_WORLD, 4294967295: none */
    uint8_t gap1[16 - 12];
    uint64_t ops;
    uint64_t bytes; /* as the metrics count them */
    char operation[32]; /* such as `MPI_Allreduce` */
} jst_collective;

_Static_assert(offsetof(jst_collective, state) == 0, "jst_collective.state");
_Static_assert(offsetof(jst_collective, communicator) == 4, "jst_collective.communicator");
_Static_assert(offsetof(jst_collective, root) == 8, "jst_collective.root");
_Static_assert(offsetof(jst_collective, ops) == 16, "jst_collective.ops");
_Static_assert(offsetof(jst_collective, bytes) == 24, "jst_collective.bytes");
_Static_assert(offsetof(jst_collective, operation) == 32, "jst_collective.operation");
_Static_assert(sizeof(jst_collective) == 64, "jst_collective");

/* One GPU that the process has used. What it is called is there before `gpus_used` counts it, and
 * stays. */
typedef struct jst_gpu {
    uint32_t numa; /* NUMA node that it hangs on plus 1, 0: unknown */
    uint8_t gap1[8 - 4];
    uint64_t memory_bytes; /* 0: unknown */
    char pci[24]; /* PCI bus id such as `0000:3b:00.0`, or empty */
    char uuid[64]; /* as its driver gives it; one that begins with `MIG-` is a part of a GPU */
    char name[64]; /* model */
    char path[192]; /* where it hangs, below `/sys/devices`; or empty */
    uint8_t gap2[384 - 360];
    /* numbers that grow for ever: operations, bytes and ns of copies to the GPU, from it, within
     * it, between GPUs, and of fills; kernels launched, graphs launched, records lost; ns in which
     * it computed; 5 are not used yet */
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
