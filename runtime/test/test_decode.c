/* test_decode.c: tests the decoder alone, so that sanitizer builds run it: example files, every
 * truncation of them, batches in several threads. Its results are tested in tests/reader/. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../decoder/jst_decode.h"

typedef struct file {
    uint8_t *bytes;
    size_t size;
} file;

static file load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", JST_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    file r = {malloc(1 << 20), 0};
    assert_non_null(r.bytes);
    r.size = fread(r.bytes, 1, 1 << 20, f);
    fclose(f);
    return r;
}

static jst_decode *batch(void)
{
    jst_decode *d = jst_decode_new("os_threads\nself_calls_ops", "posix_write_size",
                                   "posix_write_bytes\nposix_read_bytes", "", 1 << 20);
    assert_non_null(d);
    return d;
}

static int64_t sum(const jst_decode *d, uint32_t table, uint32_t column)
{
    const int64_t *v = jst_decode_values(d, table, column);
    int64_t s = 0;
    for (uint64_t i = 0; i < jst_decode_rows(d, table); i++)
        s += v[i];
    return s;
}

static void test_example(void **state)
{
    (void)state;
    file f = load("v1.jst");
    jst_decode *d = batch();
    assert_int_equal(jst_decode_add_bytes(d, f.bytes, f.size, 7, 0, JST_DECODE_REMAINDER), 0);
    const jst_decode_result *r = jst_decode_result_at(d, 0);
    assert_null(r->error.text);
    assert_int_equal(r->warning_count, 0);
    assert_int_equal(sum(d, JST_DECODE_MOUNT_SLICES, JST_DECODE_MOUNT_FIXED), 1000000);
    assert_int_equal(sum(d, JST_DECODE_MOUNT_SLICES, JST_DECODE_MOUNT_FIXED + 1), 1000000);
    jst_decode_free(d);
    free(f.bytes);
}

static void test_segments(void **state)
{
    (void)state;
    file f = load("v1-segments.jst");
    jst_decode *d = batch();
    assert_int_equal(jst_decode_add_bytes(d, f.bytes, f.size, 7, 0, JST_DECODE_SEGMENTS), 0);
    const jst_decode_result *r = jst_decode_result_at(d, 0);
    assert_null(r->error.text);
    assert_int_equal(r->warning_count, 0);
    assert_int_equal(r->segments, 60);
    assert_int_equal(r->peers, 2);
    const uint64_t *number =
        jst_decode_values(d, JST_DECODE_SEGMENT_ROWS, JST_DECODE_SEGMENT_NUMBER);
    assert_int_equal(r->records_read, number[r->segments - 1] + 1);
    jst_decode_free(d);
    free(f.bytes);
}

/* Each truncation is in memory of exactly its size, so that a sanitizer detects an access beyond
 * it. */
static void cut_everywhere(const char *name)
{
    file f = load(name);
    jst_decode *d = batch();
    for (size_t size = 0; size < f.size; size++) {
        uint8_t *part = malloc(size + (size == 0));
        assert_non_null(part);
        for (size_t i = 0; i < size; i++)
            part[i] = f.bytes[i];
        assert_true(jst_decode_add_bytes(d, part, size, 0, 0, JST_DECODE_REMAINDER) >= 0);
        assert_true(jst_decode_add_bytes(d, part, size, 0, 0, JST_DECODE_SEGMENTS) >= 0);
        free(part);
    }
    jst_decode_free(d);
    free(f.bytes);
}

static void test_truncations(void **state)
{
    (void)state;
    cut_everywhere("seeds/profile0.jst");
    cut_everywhere("seeds/mpi0.jst");
    cut_everywhere("seeds/shorts.jss");
}

/* Reads the file again from where `r` stopped, with the first bytes of its state. */
static const jst_decode_result *read_on(jst_decode *d, const file *f, const jst_decode_result *r,
                                        const uint8_t *state, size_t bytes, uint32_t flags)
{
    const jst_decode_place place = {r->records_read, r->records_end, r->next_slice};
    uint8_t *part = malloc(bytes + (bytes == 0));
    assert_non_null(part);
    for (size_t i = 0; i < bytes; i++)
        part[i] = state[i];
    jst_decode_go_on(d, &place, part, bytes);
    int64_t number = jst_decode_add_bytes(d, f->bytes, f->size, 0, r->records_read, flags);
    assert_true(number >= 0);
    free(part);
    return jst_decode_result_at(d, (uint64_t)number);
}

/* With the whole state nothing before the place is read; with a part of it all of the file is. */
static void state_of(const char *name, uint32_t flags)
{
    file f = load(name);
    jst_decode *d = batch(), *again = batch();
    assert_int_equal(jst_decode_add_bytes(d, f.bytes, f.size, 0, 0, flags), 0);
    const jst_decode_result *r = jst_decode_result_at(d, 0);
    uint64_t bytes;
    const uint8_t *state = jst_decode_states(d, &bytes);
    assert_int_equal(r->goes_on, 1);
    assert_true(r->state_bytes > 9 && r->state + r->state_bytes == bytes);
    for (size_t part = 1; part <= r->state_bytes; part++) {
        const jst_decode_result *g = read_on(again, &f, r, state + r->state, part, flags);
        assert_int_equal(g->resumed, part == r->state_bytes);
        assert_int_equal(g->records_read, r->records_read);
        assert_int_equal(g->state_bytes, r->state_bytes);
        assert_int_equal(g->slices + g->segments + g->tokens + g->peer_slices, 0);
        assert_int_equal(g->peers, r->peers);
    }
    jst_decode_free(d);
    jst_decode_free(again);
    free(f.bytes);
}

static void test_states(void **state)
{
    (void)state;
    state_of("seeds/mpi0.jst", 0);
    state_of("seeds/mpi0.jst", JST_DECODE_SEGMENTS);
    state_of("v1-traffic.jst", 0);
    state_of("v1-segments.jst", JST_DECODE_SEGMENTS);
}

static void *decode_in_thread(void *name)
{
    file f = load(name);
    for (int i = 0; i < 20; i++) {
        jst_decode *d = batch();
        assert_true(jst_decode_add_bytes(d, f.bytes, f.size, i, 0, JST_DECODE_REMAINDER) == 0);
        assert_null(jst_decode_result_at(d, 0)->error.text);
        jst_decode_free(d);
    }
    free(f.bytes);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static char names[2][32] = {"v1.jst", "seeds/schema.jss"};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, decode_in_thread, names[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),     cmocka_unit_test(test_segments),
        cmocka_unit_test(test_truncations), cmocka_unit_test(test_states),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
