/* self_cost.c: computes jostle's own cost: the number of calls times the cost of one, and the
 * heartbeat's CPU time. */
#include "self_cost.h"

#include "../../include/jst_mpi.h"
#include "area.h"
#include "block.h"
#include "clock.h"
#include "files/mount.h"
#include "modules/perf.h"
#include "sys.h"

static uint64_t stamp_ns; /* cost of one time stamp */

void jst_self_cost_begin(void)
{
    uint64_t t = jst_ticks();
    for (int i = 0; i < 31; i++)
        (void)jst_ticks();
    stamp_ns = jst_ticks_to_ns(jst_ticks() - t) / 32;
}

/* Counts in the blocks by kind of call. */
typedef struct call_sums {
    uint64_t plain;             /* of files, that is all but reads and writes */
    uint64_t chars, in_classes; /* reads and writes of stdio; those that are in histograms */
    uint64_t sized;             /* reads and writes in histograms */
    uint64_t mpi, polls;
} call_sums;

static uint64_t sum_of(const jst_block *b, unsigned first)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < JST_HIST_BUCKETS; i++)
        sum += JST_LOAD(b->cells[first + i]);
    return sum;
}

/* One block after the other, and each in the order of its memory. MPI calls are summed over all
 * classes except polls: subtracting polls from a sum over all would not work, as threads continue
 * to count between two sums. */
static void add_block(call_sums *c, const jst_block *b, unsigned mounts)
{
    static const uint16_t of_files[] = {
        JST_CELL_POSIX_OPEN_OPS,  JST_CELL_POSIX_CLOSE_OPS, JST_CELL_POSIX_SEEK_OPS,
        JST_CELL_POSIX_SYNC_OPS,  JST_CELL_POSIX_META_OPS,  JST_CELL_STDIO_OPEN_OPS,
        JST_CELL_STDIO_CLOSE_OPS, JST_CELL_STDIO_SEEK_OPS,  JST_CELL_STDIO_SYNC_OPS,
        JST_CELL_STDIO_META_OPS,
    };
#define OPS(name, metric, bytes, state) JST_CELL_##metric##_OPS,
    static const uint16_t of_mpi[] = {JST_MPI_CLASSES(OPS)};
#undef OPS
    for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++) {
        if (mount >= mounts && mount != JST_SLOT_OTHER - 1) /* not used */
            continue;
        const uint64_t *cells = b->cells + mount * JST_MOUNT_STRIDE;
        for (unsigned i = 0; i < sizeof of_files / sizeof *of_files; i++)
            c->plain += JST_LOAD(cells[of_files[i]]);
        c->chars +=
            JST_LOAD(cells[JST_CELL_STDIO_READ_OPS]) + JST_LOAD(cells[JST_CELL_STDIO_WRITE_OPS]);
    }
    c->plain += JST_LOAD(b->cells[JST_CELL_STREAM_READ_OPS]) +
                JST_LOAD(b->cells[JST_CELL_STREAM_WRITE_OPS]);
    c->in_classes += sum_of(b, JST_CELL_STDIO_READ_SIZE) + sum_of(b, JST_CELL_STDIO_WRITE_SIZE);
    c->sized += sum_of(b, JST_CELL_POSIX_READ_SIZE) + sum_of(b, JST_CELL_POSIX_WRITE_SIZE);
    for (unsigned i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++)
        if (of_mpi[i] != JST_CELL_MPI_TEST_OPS && of_mpi[i] != JST_CELL_MPI_PROBE_OPS)
            c->mpi += JST_LOAD(b->cells[of_mpi[i]]);
    c->polls +=
        JST_LOAD(b->cells[JST_CELL_MPI_TEST_OPS]) + JST_LOAD(b->cells[JST_CELL_MPI_PROBE_OPS]);
}

/* A counted call costs two time stamps and about 12 ns, one of MPI 15; a poll, of which few are timed, 8
 * in all; a character function, which is in no histogram, about 3. Totals, so that it does not matter
 * how often this runs. */
void jst_self_cost_account(void)
{
    call_sums c = {0};
    uint32_t used = atomic_load(&jst_blocks), mounts = jst_mounts_used();
    for (uint32_t i = 0; i < used; i++)
        add_block(&c, jst_block_at(i), mounts);
    uint64_t calls = c.plain + c.sized + c.in_classes;
    uint64_t chars = c.chars > c.in_classes ? c.chars - c.in_classes : 0;
    uint64_t *own = jst_a.blocks[0].cells;
    uint64_t cpu = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    own[JST_CELL_SELF_CALLS_OPS] = calls + chars + c.mpi + c.polls;
    own[JST_CELL_SELF_HEARTBEAT_NS] = cpu;
    own[JST_CELL_SELF_COST_NS] = calls * (2 * stamp_ns + 12) + c.mpi * (2 * stamp_ns + 15) +
                                 c.polls * 8 + chars * 3 + cpu + jst_perf_cost_ns();
}
