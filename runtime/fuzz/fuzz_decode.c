/* fuzz_decode.c: hostile profiles and shorts files against the batch of the decoder.
 *
 * No fuzzer guesses a checksum, so the mutator repairs them (mostly): the decoder under test is
 * the one that ships. Seeds: tests/data (made by tests/data/make.py).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jst_decode_internal.h"

#define MAX_ROWS 5000
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what))                                                                               \
            abort();                                                                               \
    } while (0)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static jst_decode *batch(uint64_t max_rows)
{
    jst_decode *d = jst_decode_new(
        "os_user_ns\nos_rss_bytes\nos_threads\nself_calls_ops\nstream_read_ns",
        "posix_read_size\nposix_write_size",
        "posix_read_ops\nposix_read_bytes\nposix_read_ns\nposix_write_bytes", max_rows);
    CHECK(d != NULL);
    return d;
}

/* Reads every byte that a caller may read. */
static uint64_t touch(const jst_decode *d)
{
    uint64_t sum = 0, rows = jst_decode_rows(d, JST_DECODE_SLICES), count;
    uint64_t mounts = jst_decode_rows(d, JST_DECODE_MOUNT_SLICES);
    for (uint32_t c = 3; c < 3 + 5; c++)
        for (uint64_t i = 0; i < rows; i++)
            sum += ((const uint64_t *)jst_decode_values(d, JST_DECODE_SLICES, c))[i];
    for (uint32_t c = 4; c < 4 + 4; c++)
        for (uint64_t i = 0; i < mounts; i++)
            CHECK(((const int64_t *)jst_decode_values(d, JST_DECODE_MOUNT_SLICES, c))[i] >= 0);
    for (uint64_t i = 0; i < rows; i++)
        CHECK(((const int32_t *)jst_decode_values(d, JST_DECODE_SLICES, JST_DECODE_SPAN))[i] > 0);
    for (uint32_t h = 0; h < 2; h++) {
        const uint8_t *valid;
        uint64_t nulls, found = 0;
        const int64_t *v = jst_decode_histogram(d, h, &valid, &nulls);
        for (uint64_t i = 0; i < rows; i++) {
            bool used = false;
            for (int b = 0; b < JST_DECODE_BUCKETS; b++)
                used |= v[i * JST_DECODE_BUCKETS + b] != 0;
            CHECK(used == (valid[i / 8] >> i % 8 & 1));
            found += !used;
        }
        CHECK(found == nulls);
    }
    const jst_decode_event *e = jst_decode_events(d, &count);
    uint64_t bytes;
    const char *text = jst_decode_text(d, &bytes);
    for (uint64_t i = 0; i < count; i++)
        for (int t = 0; t < 4; t++) {
            CHECK(e[i].text[t].bytes <= bytes && e[i].text[t].at <= bytes - e[i].text[t].bytes);
            for (uint64_t b = 0; b < e[i].text[t].bytes; b++)
                sum += (uint8_t)text[e[i].text[t].at + b];
        }
    return sum;
}

static int file_of(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

/* The same file as memory and as a file, whole and in two goes, must give the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jst_decode *d = batch(MAX_ROWS), *f = batch(MAX_ROWS);
    CHECK(jst_decode_add_bytes(d, data, size, 7, 0, JST_DECODE_REMAINDER) == 0);
    const jst_decode_result r = *jst_decode_result_at(d, 0);
    int fd = file_of(data, size);
    CHECK(jst_decode_add_fd(f, fd, 7, 0, JST_DECODE_REMAINDER) == 0);
    const jst_decode_result *g = jst_decode_result_at(f, 0);
    CHECK(g->records_read == r.records_read && g->slices == r.slices && g->mounts == r.mounts);
    CHECK(g->error.text == r.error.text && g->events == r.events && g->remainder == r.remainder);
    CHECK(touch(d) == touch(f));
    CHECK(r.slices == jst_decode_rows(d, JST_DECODE_SLICES));
    uint64_t middle = r.records_read / 2;
    CHECK(jst_decode_add_fd(f, fd, 8, middle, 0) == 1);
    const jst_decode_result *h = jst_decode_result_at(f, 1);
    CHECK(h->slices + r.remainder <= r.slices || h->complete == 0 || !r.complete);
    touch(f);
    close(fd);
    jst_decode_free(d);
    jst_decode_free(f);
    return 0;
}

static void put32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

/* Recomputes the checksum of each record from `at` on; 'P' records get the given table's. */
static void repair_records(uint8_t *data, size_t size, size_t at, uint32_t table_crc)
{
    while (at < size) {
        jst_cursor c = {data + at + 1, data + size};
        uint64_t length = jst_take_varint(&c);
        const uint8_t *payload = jst_take_bytes(&c, length);
        if (payload == NULL || c.end - c.p < 4)
            return;
        jst_cursor p = {payload, payload + length};
        for (int i = 0; i < 8; i++)
            jst_take_varint(&p);
        if (data[at] == 'P' && jst_take_bytes(&p, 4) != NULL)
            put32(data + (p.p - data) - 4, table_crc);
        size_t front = (size_t)(payload - data) + length - at;
        put32(data + at + front, jst_decode_crc32(data + at, front));
        at += front + 4;
    }
}

static uint32_t first_table_crc(const uint8_t *data, size_t size)
{
    jst_cursor c = {data, data + size};
    if (size == 0 || *c.p++ != 'H')
        return 0;
    jst_take_varint(&c);
    for (int i = 0; i < 4; i++)
        jst_take_varint(&c);
    jst_take_bytes(&c, 16);
    for (int i = 0; i < 3; i++)
        jst_take_bytes(&c, jst_take_varint(&c));
    uint64_t n = jst_take_varint(&c);
    const uint8_t *text = jst_take_bytes(&c, n);
    return text == NULL ? 0 : jst_decode_crc32(text, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 == 0)
        return size;
    if (size >= JST_DECODE_HEAD_BYTES && memcmp(data, "jostle01", 8) == 0) {
        uint32_t table = jst_load32(data + 32), bytes = jst_load32(data + 36);
        if (table <= size && bytes <= size - table)
            put32(data + 48, jst_decode_crc32(data + table, bytes));
        repair_records(data, size, jst_load32(data + 12), 0);
    } else {
        repair_records(data, size, 0, first_table_crc(data, size));
    }
    return size;
}
