/* self_cost.c: what jostle itself costs: the number of calls times the cost of one, and the
 * heartbeat's CPU time. */
#include "self_cost.h"

#include "../../include/jst_mpi.h"
#include "area.h"
#include "block.h"
#include "clock.h"
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

static uint64_t sum_of_slots(unsigned cell)
{
    uint64_t sum = 0;
    for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++)
        sum += jst_sum_cell(mount * JST_MOUNT_STRIDE + cell);
    return sum;
}

/* Sums all classes but polls. Subtracting polls from a sum over all would not work: threads go
 * on counting between two sums. */
static uint64_t mpi_calls(void)
{
#define OPS(name, metric, bytes, state) JST_CELL_##metric##_OPS,
    static const unsigned ops[] = {JST_MPI_CLASSES(OPS)};
#undef OPS
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] != JST_CELL_MPI_TEST_OPS && ops[i] != JST_CELL_MPI_PROBE_OPS)
            sum += jst_sum_cell(ops[i]);
    return sum;
}

/* A counted call costs two time stamps and about 12 ns, one of MPI 15; a poll, of which few are timed, 8
 * in all; a character function, which is in no histogram, about 3. Totals, so that it does not matter
 * how often this runs. */
void jst_self_cost_account(void)
{
    static const unsigned ops[] = {
        JST_CELL_POSIX_OPEN_OPS,  JST_CELL_POSIX_CLOSE_OPS, JST_CELL_POSIX_SEEK_OPS,
        JST_CELL_POSIX_SYNC_OPS,  JST_CELL_POSIX_META_OPS,  JST_CELL_STDIO_OPEN_OPS,
        JST_CELL_STDIO_CLOSE_OPS, JST_CELL_STDIO_SEEK_OPS,  JST_CELL_STDIO_SYNC_OPS,
        JST_CELL_STDIO_META_OPS,
    };
    uint64_t calls =
        jst_sum_cell(JST_CELL_STREAM_READ_OPS) + jst_sum_cell(JST_CELL_STREAM_WRITE_OPS);
    uint64_t chars = sum_of_slots(JST_CELL_STDIO_READ_OPS) + sum_of_slots(JST_CELL_STDIO_WRITE_OPS);
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        calls += sum_of_slots(ops[i]);
    for (unsigned i = 0; i < JST_HIST_BUCKETS; i++) {
        uint64_t stdio = jst_sum_cell(JST_CELL_STDIO_READ_SIZE + i) +
                         jst_sum_cell(JST_CELL_STDIO_WRITE_SIZE + i);
        calls += stdio + jst_sum_cell(JST_CELL_POSIX_READ_SIZE + i) +
                 jst_sum_cell(JST_CELL_POSIX_WRITE_SIZE + i);
        chars -= stdio < chars ? stdio : chars;
    }
    uint64_t *own = jst_a.blocks[0].cells;
    uint64_t polls = jst_sum_cell(JST_CELL_MPI_TEST_OPS) + jst_sum_cell(JST_CELL_MPI_PROBE_OPS);
    uint64_t mpi = mpi_calls();
    uint64_t cpu = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    own[JST_CELL_SELF_CALLS_OPS] = calls + chars + mpi + polls;
    own[JST_CELL_SELF_HEARTBEAT_NS] = cpu;
    own[JST_CELL_SELF_COST_NS] = calls * (2 * stamp_ns + 12) + mpi * (2 * stamp_ns + 15) +
                                 polls * 8 + chars * 3 + cpu + jst_perf_cost_ns();
}
