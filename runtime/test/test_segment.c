/* test_segment.c: tests where segments end, on a simulated clock: hours in a second. Two runs of
 * the same code with their own clocks represent two ranks. The ring is read back by the document of
 * the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/clock.h"
#include "../src/config.h"
#include "../src/heartbeat.h"
#include "../src/modules/papi.h"
#include "../src/mpi/mpi_account.h"
#include "../src/mpi/mpi_call_kinds.h"
#include "../src/mpi/segment.h"
#include "../src/mpi/segment_ring.h"
#include "../src/profile/area.h"
#include "../src/profile/encode.h"
#include "../src/profile/records/record.h"
#include "../src/sys.h"

/* The clock of these tests, and by how much it was set back; a tick is a nanosecond, and ticks go on. */
static uint64_t fake_now, set_back;
#define jst_clock_ns(clock) (fake_now - set_back)
#define jst_ticks() fake_now

#include "../src/mpi/segment.c"
#include "../src/mpi/segment_ring.c"

/* The runtime around them, as far as it is needed. */
jst_area jst_a;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
jst_config jst_cfg;
jst_site jst_sites[JST_SITES];
_Atomic uint32_t jst_blocks = 2;

jst_block *jst_block_at(uint32_t i)
{
    return &jst_a.blocks[i];
}

uint64_t jst_sum_cell(unsigned cell)
{
    return jst_a.blocks[1].cells[cell];
}

uint64_t jst_ticks_to_ns(uint64_t ticks)
{
    return ticks;
}

uint64_t jst_site_offset(uintptr_t address, const char **module)
{
    *module = "program";
    return address;
}

uint64_t jst_tick_ns = (uint64_t)1 << 32;

/* ---- the work of the heartbeat ---- */

#define SEGMENTS_MOST 1600000
typedef struct seen {
    uint64_t duration, occurrence, globals;
    uint32_t token;
    uint8_t rule;
} seen;
static seen *segments;
static size_t segment_count, token_count;
static uint64_t file_bytes, longest_entry;

static uint64_t take(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        v |= (uint64_t)(**p & 0x7f) << shift;
        if (!(*(*p)++ & 0x80))
            return v;
    }
}

static void take_segment(const uint8_t *p)
{
    seen *s = &segments[segment_count++];
    assert_true(segment_count < SEGMENTS_MOST);
    s->duration = take(&p);
    s->rule = *p++;
    s->token = (uint32_t)take(&p);
    s->globals = take(&p);
    p += 6;
    uint64_t present = take(&p);
    s->occurrence = 0;
    if (present & 1)
        p += 8;
    for (unsigned bit = 1; bit < 32; bit++)
        if (present & 1ull << bit) {
            if (bit >= 25 && bit <= 29)
                p += 2;
            else
                (void)take(&p);
        }
    for (unsigned bit = 32; bit < 34; bit++)
        if (present & 1ull << bit) {
            p++;
            uint64_t n = take(&p);
            assert_in_range(n, 1, JST_BINS);
            p += n;
        }
    if (present & 1ull << 34)
        s->occurrence = take(&p);
}

uint64_t jst_gap_instructions(void)
{
    return 0;
}

void jst_papi_boundary(jst_block *b)
{
    (void)b;
}

void jst_papi_sample(jst_block *b)
{
    (void)b;
}

bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n)
{
    (void)fd;
    const uint8_t *p = frame + JST_FRAME_GAP, *end = p + n;
    assert_int_equal(type, 'G');
    static uint64_t expected;
    while (p < end) {
        uint8_t kind = *p++;
        uint64_t number = take(&p), size = take(&p);
        expected = number == 0 ? 0 : expected;
        assert_int_equal(number, expected++);
        if (kind == 's') {
            take_segment(p);
            longest_entry = size > longest_entry ? size : longest_entry;
        } else {
            assert_int_equal(kind, 't');
            token_count++;
        }
        p += size;
    }
    assert_ptr_equal(p, end);
    file_bytes += n;
    return true;
}

static bool heartbeat_hangs;

void jst_heartbeat_drain(void)
{
    if (!heartbeat_hangs)
        jst_segments_drain(0);
}

/* ---- a program ---- */

static jst_site *site(unsigned i)
{
    static const char *const names[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Alltoall", "MPI_Recv"};
    jst_site *s = &jst_sites[i];
    atomic_store(&s->key, i + 1);
    s->func = names[i % 4];
    s->func_hash = i % 4 + 1;
    s->hash = 77 * (i + 1) | 1;
    s->address = 64 * i;
    s->bit = (uint8_t)i;
    return s;
}

static void start(void)
{
    memset(&jst_a, 0, sizeof jst_a);
    atomic_store(&jst_a.head.mpi_state, 2); /* its MPI runs */
    memset(jst_sites, 0, sizeof jst_sites);
    tokens = 0;
    entries = bytes_put = 0;
    segment_count = token_count = 0;
    file_bytes = longest_entry = 0;
    jst_cfg.segments = JST_SEGMENTS_ON;
    jst_cfg.segment_span_ns = 1000000000;
    fake_now = UINT64_C(1700000000000000000);
    set_back = 0;
    jst_a.head.mpi_init_ns = fake_now;
    jst_segments_begin(&jst_a.blocks[1]);
}

/* A call of a kind that ends after so many nanoseconds; a global one or not. */
static void call(unsigned i, bool global, uint64_t after)
{
    jst_site *s = site(i);
    jst_mpi_call c = {.flags = global ? JST_MPI_GLOBAL : 0, .bytes = 8};
    fake_now += after;
    s->calls++;
    jst_a.blocks[1].cells[JST_CELL_MPI_ALL_TO_ALL_OPS]++;
    jst_a.blocks[1].cells[JST_CELL_STATE_COLLECTIVE_NS] += after / 10;
    jst_a.blocks[1].signature += s->hash;
    jst_a.blocks[1].kinds |= 1ull << s->bit;
    if (fake_now >= jst_bin_end)
        jst_bins_roll(&jst_a.blocks[1], fake_now);
    if (global)
        jst_segment_global(&jst_a.blocks[1], &c, s, c.bytes, fake_now);
    else if (s == jst_epoch_site && (s->calls & jst_epoch_mask) == 0)
        jst_segment_epoch(&jst_a.blocks[1], s, fake_now);
}

static void finish(void)
{
    jst_segments_end(&jst_a.blocks[1]);
    jst_segments_drain(0);
}

static uint64_t duration_of_all(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < segment_count; i++)
        sum += segments[i].duration;
    return sum;
}

static void every_global_ends_a_segment(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 100; i++) {
        call(3, false, 30000000);
        call(0, true, 70000000);
    }
    fake_now += 5;
    finish();
    assert_int_equal(segment_count, 101);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(segments[i].duration, 100000000);
        assert_int_equal(segments[i].rule, JST_RULE_EVERY);
        assert_int_equal(segments[i].globals, 1);
    }
    assert_int_equal(segments[100].rule, JST_RULE_FINAL);
    assert_int_equal(segments[100].duration, 5);
}

static void raw_keeps_all(void **state)
{
    (void)state;
    start();
    jst_cfg.segments = JST_SEGMENTS_RAW;
    for (int i = 0; i < 50000; i++)
        call(0, true, 100000);
    fake_now += 5;
    finish();
    assert_int_equal(segment_count, 50001);
    assert_int_equal(segments[777].rule, JST_RULE_RAW);
}

/* Fifty globals of one kind and one of another a step of 7 ms: every 16th step ends a segment. */
static void a_dense_run(uint64_t step_ns, int steps)
{
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < 50; k++)
            call(0, true, step_ns / 51);
        call(1, true, step_ns / 51);
    }
}

static void dense_globals_are_coalesced(void **state)
{
    (void)state;
    start();
    a_dense_run(7000000, 4000);
    finish();
    size_t equal = 0;
    for (size_t i = 0; i < segment_count; i++)
        equal +=
            segments[i].rule == (JST_RULE_COALESCED | 4 << 3) && segments[i].globals == 16 * 51;
    assert_in_range(equal, 230, 250);
    assert_true(segment_count - equal < 40);
}

/* The boundaries of one rank are among those of the other, though their clocks differ by 30 %. */
static void ranks_nest(void **state)
{
    (void)state;
    start();
    a_dense_run(7000000, 4000);
    finish();
    size_t n = segment_count, nested = 0, coarse = 0;
    seen *first = malloc(n * sizeof *first);
    memcpy(first, segments, n * sizeof *first);
    start();
    a_dense_run(5000000, 4000);
    finish();
    for (size_t i = 0; i < segment_count; i++) {
        if ((segments[i].rule & 7) != JST_RULE_COALESCED)
            continue;
        coarse++;
        for (size_t k = 0; k < n; k++)
            if (first[k].occurrence == segments[i].occurrence && first[k].token)
                nested++;
    }
    free(first);
    assert_true(coarse > 100);
    assert_true(nested * 100 >= coarse * 95);
}

/* A dense start, then one global a second for an hour: each of these ends a segment. */
static void a_new_phase_is_noticed(void **state)
{
    (void)state;
    start();
    a_dense_run(7000000, 1000);
    size_t counted = segment_count;
    jst_segments_drain(0);
    for (int i = 0; i < 3600; i++) {
        for (int k = 0; k < 100; k++)
            call(3, false, 9900000);
        call(2, true, 10000000);
    }
    finish();
    assert_in_range(segment_count - counted, 3500, 13000); /* with epochs in the gaps */
}

static void rare_globals_leave_epochs(void **state)
{
    (void)state;
    start();
    for (int step = 0; step < 3000; step++) {
        for (int k = 0; k < 20; k++)
            call(3, false, 1000000); /* receives */
        call(7, false, 2000000);     /* one call of its own per step of 22 ms */
        if (step % 1000 == 999)
            call(1, true, 1000);
    }
    finish();
    size_t epochs = 0;
    for (size_t i = 0; i < segment_count; i++)
        epochs += (segments[i].rule & 7) == JST_RULE_EPOCH;
    assert_in_range(epochs, 600, 760); /* four steps each: 88 ms */
}

/* 20 000 globals a second for a day, then 40 days of ten a second. */
static void space_is_bounded(void **state)
{
    (void)state;
    start();
    for (uint64_t t = 0; t < 3600 * 20; t++)
        for (int k = 0; k < 200; k++)
            call(k ? 0 : 1, true, 250000);
    for (uint64_t t = 0; t < UINT64_C(40) * 86400 * 10; t++)
        call(2, true, 100000000);
    finish();
    assert_true(file_bytes < (16u << 20));
    assert_true(segment_count < 100000);
    assert_true(file_bytes / segment_count <= 64);
    assert_true(duration_of_all() == fake_now - UINT64_C(1700000000000000000));
}

static void raw_is_bounded_too(void **state)
{
    (void)state;
    start();
    jst_cfg.segments = JST_SEGMENTS_RAW;
    for (int i = 0; i < 3000000; i++)
        call(i % 20 ? 0 : 1, true, 30000);
    finish();
    assert_true(file_bytes < (61u << 20));
}

/* A full ring that is not drained loses no time: the segment continues, and is complete
 * afterwards. */
static void a_full_ring_merges(void **state)
{
    (void)state;
    start();
    heartbeat_hangs = true;
    for (int i = 0; i < 5000; i++)
        call(0, true, 100000000);
    heartbeat_hangs = false;
    jst_segments_drain(0);
    assert_in_range(segment_count, 1000, 4000);
    call(0, true, 100000000);
    finish();
    assert_true(duration_of_all() == UINT64_C(5001) * 100000000);
    assert_int_equal(segments[segment_count - 1].globals, 5001 - (segment_count - 1));
}

/* A global every 0.1 s. Just when it would be decided how often they come, the clock goes back by a minute. */
static void a_clock_that_is_set_back_makes_no_global_dense(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 3 * 256 - 1; i++)
        call(0, true, 100000000);
    jst_segments_drain(0);
    size_t counted = segment_count;
    set_back = UINT64_C(60000000000);
    for (int i = 0; i < 200; i++)
        call(0, true, 100000000);
    finish();
    assert_in_range(segment_count - counted, 198, 200);
}

/* The site that made epochs comes no more, after the clock has been set back; another one takes its place. */
static void a_clock_that_is_set_back_does_not_end_the_search_for_epochs(void **state)
{
    (void)state;
    start();
    for (unsigned last = 7; last <= 11; last += 4) {
        jst_segments_drain(0);
        segment_count = 0;
        for (int step = 0; step < 1000; step++) {
            for (int k = 0; k < 20; k++)
                call(3, false, 1000000);
            call(last, false, 2000000);
        }
        set_back = UINT64_C(60000000000);
    }
    finish();
    size_t epochs = 0;
    for (size_t i = 0; i < segment_count; i++)
        epochs += (segments[i].rule & 7) == JST_RULE_EPOCH;
    assert_in_range(epochs, 150, 260); /* four steps each: 88 ms */
}

static int make_room(void **state)
{
    (void)state;
    segments = malloc(SEGMENTS_MOST * sizeof *segments);
    return segments ? 0 : -1;
}

static int free_room(void **state)
{
    (void)state;
    free(segments);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_global_ends_a_segment),
        cmocka_unit_test(raw_keeps_all),
        cmocka_unit_test(dense_globals_are_coalesced),
        cmocka_unit_test(ranks_nest),
        cmocka_unit_test(a_new_phase_is_noticed),
        cmocka_unit_test(rare_globals_leave_epochs),
        cmocka_unit_test(space_is_bounded),
        cmocka_unit_test(raw_is_bounded_too),
        cmocka_unit_test(a_full_ring_merges),
        cmocka_unit_test(a_clock_that_is_set_back_makes_no_global_dense),
        cmocka_unit_test(a_clock_that_is_set_back_does_not_end_the_search_for_epochs),
    };
    return cmocka_run_group_tests(tests, make_room, free_room);
}
