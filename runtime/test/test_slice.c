/* test_slice.c: tests slices on a simulated clock: missed boundaries, a clock that is set back, a
 * disk that refuses, the space budget. The file is read back by the document of the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/config.h"
#include "../src/core.h"
#include "../src/files/mount.h"
#include "../src/modules/gpu_devices.h"
#include "../src/modules/perf.h"
#include "../src/mpi/peers.h"
#include "../src/mpi/segment_ring.h"
#include "../src/profile/area.h"
#include "../src/profile/profile_layout.h"
#include "../src/profile/records/slice.h"
#include "../src/sys.h"
#include "read_like.h"

#define L UINT64_C(4000000000) /* slice length */
#define FIRST UINT64_C(450000000)
#define CELL JST_CELL_POSIX_WRITE_OPS

/* The runtime around slice.c, as far as it is needed. */
void jst_end_marks_of_dead(uint64_t seen)
{
    (void)seen;
}

jst_area jst_a;
jst_life jst_now_life;
jst_config jst_cfg;
jst_block *_Atomic jst_more;
_Atomic uint32_t jst_blocks;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

void jst_mounts_forget(void) {}

unsigned jst_mounts_used(void)
{
    return JST_MOUNT_SLOTS;
}

void jst_segments_drain(int fd)
{
    (void)fd;
}

uint64_t jst_perf_cost_ns(void)
{
    return 0;
}

void jst_peers_tick(int fd, uint64_t slice)
{
    (void)fd, (void)slice;
}

unsigned jst_gpus_used(void)
{
    return 0;
}

void jst_gpus_to_head(void) {}

void jst_communicators_drain(int fd)
{
    (void)fd;
}

jst_block *jst_block_at(uint32_t i)
{
    return &jst_a.blocks[i];
}

typedef struct found {
    uint64_t first, span, writes;
} found;

static int file = -1;

static uint64_t take_varint(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    do
        value |= (uint64_t)(**p & 0x7f) << (shift++ * 7);
    while (*(*p)++ & 0x80);
    return value;
}

static int64_t take_svarint(const uint8_t **p)
{
    uint64_t v = take_varint(p);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* The codes of an 'S' record's cells. */
static void read_cells(const uint8_t *p, uint64_t *codes)
{
    const uint8_t *bitmap = p;
    p += ((JST_CELL_COUNT + 7) / 8 + 7) / 8;
    for (unsigned g = 0; g < JST_CELL_COUNT / 8; g++) {
        uint8_t mask = bitmap[g / 8] & 1u << g % 8 ? *p++ : 0;
        for (unsigned i = 0; i < 8; i++) {
            bool time = is_time_cell(g * 8 + i), there = mask & 1u << i;
            codes[g * 8 + i] = !there ? 0 : time ? (uint64_t)(p[0] | p[1] << 8) : take_varint(&p);
            p += there && time ? 2 : 0;
        }
    }
}

static size_t read_back(found *out, size_t room)
{
    static uint8_t bytes[1 << 20];
    static uint64_t base[JST_CELL_COUNT], codes[JST_CELL_COUNT];
    const jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    ssize_t n = pread(file, bytes, sizeof bytes, JST_HEAD_BYTES);
    const uint8_t *p = bytes, *end = bytes + (c->records_end - JST_HEAD_BYTES);
    uint64_t expected = FIRST;
    size_t have = 0;
    assert_true(n >= end - p);
    while (p < end) {
        uint8_t type = *p++;
        uint64_t length = take_varint(&p);
        const uint8_t *payload = p;
        p += length + 4;
        if (type != 'S' && type != 'L')
            continue;
        assert_true(have < room);
        out[have].first = expected + (uint64_t)take_svarint(&payload);
        out[have].span = take_varint(&payload);
        expected = out[have].first + out[have].span;
        if (type == 'S') {
            read_cells(payload, base);
            out[have++].writes = base[CELL];
        } else {
            take_varint(&payload);
            read_like(payload, base, codes);
            out[have++].writes = codes[CELL];
        }
    }
    return have;
}

static int begin(void **state)
{
    (void)state;
    memset(&jst_a, 0, sizeof jst_a);
    jst_cfg.slice_ns = L;
    jst_now_life.part = 0;
    jst_a.head.slice_ns = L;
    jst_blocks = 2;
    jst_a.commit[0].records_end = JST_HEAD_BYTES;
    jst_a.commit[0].open_slice = FIRST;
    file = memfd_create("profile", 0);
    jst_slice_begin(file);
    return file < 0;
}

static int end(void **state)
{
    (void)state;
    return close(file);
}

static void work(uint64_t writes)
{
    jst_a.blocks[1].cells[CELL] += writes;
}

static void one_record_per_slice(void **state)
{
    found f[8];
    (void)state;
    work(3);
    jst_slice_tick(file, (FIRST + 1) * L + 50000);
    work(4);
    jst_slice_tick(file, (FIRST + 2) * L + 50000);
    assert_int_equal(read_back(f, 8), 2);
    assert_true(f[0].first == FIRST && f[0].span == 1 && f[0].writes == 3);
    assert_true(f[1].first == FIRST + 1 && f[1].span == 1 && f[1].writes == 4);
}

static void idle_slices_have_no_record(void **state)
{
    found f[8];
    (void)state;
    work(1);
    for (uint64_t i = 1; i <= 9; i++)
        jst_slice_tick(file, (FIRST + i) * L + 1000);
    work(2);
    jst_slice_tick(file, (FIRST + 10) * L + 1000);
    assert_int_equal(read_back(f, 8), 2);
    assert_true(f[1].first == FIRST + 9 && f[1].span == 1 && f[1].writes == 2);
}

/* Stopped, suspended, starved, or the clock set forward: one record has the span that it covers. */
static void missed_boundaries_are_one_record(void **state)
{
    found f[8];
    (void)state;
    work(5);
    jst_slice_tick(file, (FIRST + 7) * L + L / 2);
    work(6);
    jst_slice_tick(file, (FIRST + 8) * L + 1000);
    assert_int_equal(read_back(f, 8), 2);
    assert_true(f[0].first == FIRST && f[0].span == 7 && f[0].writes == 5);
    assert_true(f[1].first == FIRST + 7 && f[1].span == 1 && f[1].writes == 6);
}

/* Starved for more than half a slice: the work meanwhile does not belong to the slice before. */
static void a_late_boundary_is_left_out_once(void **state)
{
    found f[8];
    (void)state;
    work(3);
    jst_slice_tick(file, (FIRST + 1) * L + L / 2 + 1);
    assert_int_equal(read_back(f, 8), 0);
    work(4);
    jst_slice_tick(file, (FIRST + 2) * L + L - 1);
    work(5);
    jst_slice_tick(file, (FIRST + 3) * L + L / 2);
    assert_int_equal(read_back(f, 8), 2);
    assert_true(f[0].first == FIRST && f[0].span == 2 && f[0].writes == 7);
    assert_true(f[1].first == FIRST + 2 && f[1].span == 1 && f[1].writes == 5);
}

/* A cell that shrinks nevertheless (two sources that do not agree) is no 2^64 in a record. */
static void a_counter_set_back_is_nothing_until_it_has_grown_again(void **state)
{
    found f[8];
    (void)state;
    work(5);
    jst_slice_tick(file, (FIRST + 1) * L + 50000);
    jst_a.blocks[1].cells[CELL] -= 2;
    jst_a.blocks[1].cells[CELL + 1] += 1; /* so that there is something to record */
    jst_slice_tick(file, (FIRST + 2) * L + 50000);
    work(4);
    jst_slice_tick(file, (FIRST + 3) * L + 50000);
    assert_int_equal(read_back(f, 8), 3);
    assert_true(f[0].writes == 5 && f[1].writes == 0 && f[2].writes == 2);
}

static void a_clock_set_back_loses_nothing(void **state)
{
    found f[8];
    (void)state;
    work(1);
    jst_slice_tick(file, (FIRST + 1) * L + 1000);
    work(2);
    jst_slice_tick(file, (FIRST - 100) * L + 1000);
    work(4);
    jst_slice_tick(file, (FIRST - 99) * L + 1000);
    assert_int_equal(read_back(f, 8), 3);
    assert_true(f[1].first == FIRST + 1 && f[1].span == 1 && f[1].writes == 2);
    assert_true(f[2].first == FIRST - 100 && f[2].span == 1 && f[2].writes == 4);
}

static void what_the_disk_refuses_comes_with_the_next_record(void **state)
{
    found f[8];
    (void)state;
    work(1);
    jst_slice_tick(-1, (FIRST + 1) * L + 1000);
    work(2);
    jst_slice_tick(-1, (FIRST + 2) * L + 1000);
    assert_int_equal(read_back(f, 8), 0);
    work(4);
    jst_slice_tick(file, (FIRST + 3) * L + 1000);
    assert_int_equal(read_back(f, 8), 1);
    assert_true(f[0].first == FIRST && f[0].span == 3 && f[0].writes == 7);
}

static bool is_exact(unsigned cell)
{
    return jst_cell_kind[cell] != JST_CODE_TIMER && jst_cell_kind[cell] != JST_CODE_NS &&
           jst_cell_kind[cell] != JST_CODE_UNUSED;
}

/* Cells begin to move, rest, and move again; levels go back to zero. The records' sums are always
 * those of the blocks, in groups that a slice has read and in skipped ones. */
static void records_hold_what_blocks_hold(void **state)
{
    uint32_t chance = 1;
    (void)state;
    for (uint64_t slice = 1; slice <= 400; slice++) {
        for (unsigned n = 0; n < 3; n++) {
            chance = chance * 1664525 + 1013904223;
            unsigned cell = (chance >> 8) % JST_CELL_COUNT;
            bool level = jst_cell_kind[cell] == JST_CODE_GAUGE;
            uint64_t *at = &jst_a.blocks[level ? 0 : n & 1].cells[cell];
            *at = level && *at ? 0 : *at + (chance >> 24) + 1;
        }
        jst_a.blocks[0].cells[JST_CELL_OS_THREADS] = slice / 3 % 2 ? 0 : slice;
        jst_slice_tick(file, (FIRST + slice) * L + 1000);
        const jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
        for (unsigned i = 0; i < JST_CELL_COUNT; i++)
            if (is_exact(i))
                assert_true(c->base[i] == jst_a.blocks[0].cells[i] + jst_a.blocks[1].cells[i]);
    }
}

/* A day in which every cell of a process moves in every slice stays within 5 MB. */
static void a_day_stays_within_its_space(void **state)
{
    uint64_t total = 0;
    (void)state;
    for (uint64_t slice = 1; slice <= 21600; slice++) {
        for (unsigned i = 0; i < JST_CELL_COUNT; i++)
            jst_a.blocks[1].cells[i] += 1000000 + 7919 * slice * (i + 1) % 1000000;
        jst_a.blocks[1].cells[CELL] += 1;
        total += 1000000 + 7919 * slice * (CELL + 1) % 1000000 + 1;
        jst_slice_tick(file, (FIRST + slice) * L + 1000);
    }
    const jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    assert_true(c->records_end < 5000000);
    assert_true(c->base[CELL] <= total && c->base[CELL] > total / 2);
}

/* Segments, traffic and GPUs have space of their own: in the profile of an MPI rank they take far
 * more than slices, which are written nevertheless. */
static void records_of_other_types_take_no_space_from_slices(void **state)
{
    (void)state;
    for (uint64_t slice = 1; slice <= 100; slice++) {
        uint64_t generation = atomic_load(&jst_a.head.generation);
        jst_a.commit[generation & 1].records_end += 64 * 1024; /* as jst_append does */
        uint64_t before = jst_a.commit[generation & 1].records_end;
        jst_a.blocks[0].cells[CELL] += slice;
        jst_slice_tick(file, (FIRST + slice) * L + 1000);
        generation = atomic_load(&jst_a.head.generation);
        assert_true(jst_a.commit[generation & 1].records_end > before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_record_per_slice, begin, end),
        cmocka_unit_test_setup_teardown(idle_slices_have_no_record, begin, end),
        cmocka_unit_test_setup_teardown(missed_boundaries_are_one_record, begin, end),
        cmocka_unit_test_setup_teardown(a_late_boundary_is_left_out_once, begin, end),
        cmocka_unit_test_setup_teardown(a_counter_set_back_is_nothing_until_it_has_grown_again,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_clock_set_back_loses_nothing, begin, end),
        cmocka_unit_test_setup_teardown(what_the_disk_refuses_comes_with_the_next_record, begin,
                                        end),
        cmocka_unit_test_setup_teardown(records_hold_what_blocks_hold, begin, end),
        cmocka_unit_test_setup_teardown(a_day_stays_within_its_space, begin, end),
        cmocka_unit_test_setup_teardown(records_of_other_types_take_no_space_from_slices, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
