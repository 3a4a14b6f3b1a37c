/* profile_layout.h: how the head of a profile lies in the file. */
#ifndef JST_PROFILE_LAYOUT_H
#define JST_PROFILE_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/jst_metrics.h"

#define JST_PAGE 4096

/* docs/reference/profile-format.md, byte by byte. */
typedef struct jst_head {
    char magic[8];
    uint32_t version, head_bytes, cell_count, block_offset, block_bytes, block_capacity;
    uint32_t table_offset, table_bytes, commit_offset, commit_bytes, table_crc;
    uint32_t mount_slots, mount_stride, flags;
    uint64_t slice_ns, start_ns, file_ns, first_slice;
    uint32_t pid, ppid, uid, gid;
    uint64_t proc_start;
    uint32_t sid, part;
    uint8_t boot_id[16];
    char host[64], job[128], program[256], library[32], command[512];
    uint32_t start_clock_state, start_clock_error_us;
    uint64_t pid_namespace;
    /* MPI fields: mpi_account.c fills them in as the program reaches MPI_Init, MPI_Finalize and
     * so on */
    _Atomic uint32_t mpi_state;
    uint32_t mpi_adapter, world_size, world_rank, thread_level, appnum, spawned, omp_threads;
    uint64_t mpi_init_ns, mpi_ready_ns, mpi_finalize_ns, mpi_end_ns;
    char mpi_library[128], mpi_adapter_name[32], launcher[32], batch[64], world[32];
    uint32_t ring_offset, ring_bytes;
    char papi_names[4][32];
    uint32_t perf_asked, perf_granted;
    uint8_t gap[2048 - 1648];
    /* live fields */
    _Atomic uint64_t generation;
    uint64_t tick_ns, heartbeat_ns, end_ns;
    uint32_t end_reason;
    _Atomic uint32_t blocks_used;
    uint32_t clock_state, clock_error_us;
    _Atomic uint64_t lost_threads;
    uint64_t tick_now; /* ticks at heartbeat_ns */
    struct {
        uint32_t major, minor;
        uint64_t fs_magic, mnt_id;
        _Atomic uint64_t used;
    } mounts[JST_MOUNT_SLOTS];
    uint8_t gap3[JST_PAGE - 2112 - 32 * JST_MOUNT_SLOTS];
} jst_head;

_Static_assert(sizeof(jst_head) == JST_PAGE, "the header is one page");
_Static_assert(offsetof(jst_head, mpi_state) == 1152, "MPI fields");
_Static_assert(offsetof(jst_head, perf_asked) == 1640, "MPI fields");
_Static_assert(offsetof(jst_head, generation) == 2048, "live fields");
_Static_assert(offsetof(jst_head, mounts) == 2112, "mount slots");

typedef struct jst_commit {
    uint64_t records_end, open_slice;
    uint64_t base[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_commit;

#endif
