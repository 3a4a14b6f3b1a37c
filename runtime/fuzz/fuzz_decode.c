/* fuzz_decode.c: hostile profiles and shorts files against the batch of the decoder.
 *
 * No fuzzer guesses a checksum, so the mutator repairs them (mostly): the decoder under test is the
 * released one. Seeds: tests/data (made by tests/data/make.py).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jst_decode_parts.h"

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
        "posix_read_ops\nposix_read_bytes\nposix_read_ns\nposix_write_bytes",
        "storage_read_bytes\nstorage_read_ns\nstorage_queued\nlink_send_bytes", max_rows);
    CHECK(d != NULL);
    return d;
}

static uint64_t touch_components(const jst_decode *d)
{
    uint64_t sum = 0, bytes, rows = jst_decode_rows(d, JST_DECODE_COMPONENT_SLICES);
    const uint32_t table = JST_DECODE_COMPONENT_SLICES;
    if (rows == 0)
        return 0;
    for (uint32_t c = JST_DECODE_COMPONENT_FIXED; c < JST_DECODE_COMPONENT_FIXED + 4; c++)
        for (uint64_t i = 0; i < rows; i++)
            CHECK(((const int64_t *)jst_decode_values(d, table, c))[i] >= 0);
    for (uint64_t i = 0; i < rows; i++) {
        CHECK(((const int32_t *)jst_decode_values(d, table, JST_DECODE_SPAN))[i] > 0);
        CHECK(((const int32_t *)jst_decode_values(d, table, JST_DECODE_COMPONENT))[i] >= 0);
        CHECK(((const int8_t *)jst_decode_values(d, table, JST_DECODE_COMPONENT_EPOCH))[i] <= 1);
    }
    const int32_t *end = jst_decode_values(d, table, JST_DECODE_COMPONENT_UNKNOWN);
    const uint8_t *heap = jst_decode_binary(d, table, JST_DECODE_COMPONENT_UNKNOWN, &bytes);
    CHECK(end[0] == 0 && (uint64_t)end[rows] == bytes);
    for (uint64_t i = 0; i < rows; i++)
        for (int32_t at = end[i]; at < end[i + 1]; at++)
            CHECK(heap[at] < 4);
    return sum;
}

static uint64_t touch_binary(const jst_decode *d, uint32_t table, uint32_t column)
{
    uint64_t bytes, sum = 0, rows = jst_decode_rows(d, table);
    const uint8_t *heap = jst_decode_binary(d, table, column, &bytes);
    const int32_t *offset = jst_decode_values(d, table, column);
    if (rows == 0)
        return 0;
    CHECK(offset[0] == 0);
    for (uint64_t i = 0; i < rows; i++)
        CHECK(offset[i] <= offset[i + 1]);
    CHECK((uint64_t)offset[rows] == bytes);
    for (uint64_t i = 0; i < bytes; i++)
        sum += heap[i];
    return sum;
}

/* Partners and collectives: ranks or none, and increases that are not negative. */
static uint64_t touch_traffic(const jst_decode *d)
{
    static const struct {
        uint32_t table, rank, first, count;
    } tables[] = {
        {JST_DECODE_PEER_SLICES, JST_DECODE_PEER_SLICE_RANK, JST_DECODE_PEER_SLICE_VALUES, 5},
        {JST_DECODE_COLLECTIVE_SLICES, JST_DECODE_COLLECTIVE_ROOT, JST_DECODE_COLLECTIVE_VALUES,
         2}};
    uint64_t sum = 0;
    for (unsigned t = 0; t < 2; t++)
        for (uint64_t i = 0; i < jst_decode_rows(d, tables[t].table); i++) {
            const uint32_t table = tables[t].table;
            int64_t rank = ((const int64_t *)jst_decode_values(d, table, tables[t].rank))[i];
            CHECK(rank >= -1 && rank < UINT32_MAX);
            CHECK(((const int32_t *)jst_decode_values(d, table, JST_DECODE_SPAN))[i] > 0);
            for (uint32_t c = 0; c < tables[t].count; c++) {
                int64_t v = ((const int64_t *)jst_decode_values(d, table, tables[t].first + c))[i];
                CHECK(v >= 0);
                sum += (uint64_t)v;
            }
        }
    sum += touch_binary(d, JST_DECODE_COLLECTIVE_SLICES, JST_DECODE_COLLECTIVE_OPERATION);
    return sum + touch_binary(d, JST_DECODE_COMMUNICATORS, JST_DECODE_COMMUNICATOR_MEMBERS);
}

/* GPUs: increases are not negative. */
static uint64_t touch_gpus(const jst_decode *d)
{
    const uint32_t table = JST_DECODE_GPU_SLICES;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < jst_decode_rows(d, table); i++) {
        int64_t gpu = ((const int64_t *)jst_decode_values(d, table, JST_DECODE_GPU_SLICE_GPU))[i];
        CHECK(gpu >= 0 && gpu < 64);
        CHECK(((const int32_t *)jst_decode_values(d, table, JST_DECODE_SPAN))[i] > 0);
        for (uint32_t c = JST_DECODE_GPU_SLICE_VALUES; c < JST_DECODE_GPU_SLICE_COLUMNS; c++) {
            int64_t v = ((const int64_t *)jst_decode_values(d, table, c))[i];
            CHECK(v >= 0);
            sum += (uint64_t)v;
        }
    }
    return sum;
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
    sum += touch_components(d) + touch_traffic(d) + touch_gpus(d);
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

/* Segments follow each other; counts and times are no negative numbers. */
static uint64_t touch_segments(const jst_decode *d)
{
    const uint32_t table = JST_DECODE_SEGMENT_ROWS;
    uint64_t rows = jst_decode_rows(d, table), sum = 0;
    const int64_t *start = jst_decode_values(d, table, JST_DECODE_SEGMENT_START);
    const int64_t *end = jst_decode_values(d, table, JST_DECODE_SEGMENT_END);
    const uint8_t *rule = jst_decode_values(d, table, JST_DECODE_SEGMENT_RULE);
    const uint8_t *level = jst_decode_values(d, table, JST_DECODE_SEGMENT_LEVEL);
    for (uint64_t i = 0; i < rows; i++) {
        CHECK(start[i] >= 0 && end[i] >= start[i] && (i == 0 || start[i] == end[i - 1]));
        CHECK(rule[i] <= 5 && level[i] < 32);
    }
    for (uint32_t c = JST_DECODE_SEGMENT_VALUES; c < JST_DECODE_SEGMENT_SHIFT; c++)
        for (uint64_t i = 0; i < rows; i++) {
            int64_t v = ((const int64_t *)jst_decode_values(d, table, c))[i];
            CHECK(v >= 0);
            sum += (uint64_t)v;
        }
    for (uint32_t c = 0; c < JST_DECODE_PEER_COLUMNS; c++)
        for (uint64_t i = 0; c > 0 && i < jst_decode_rows(d, JST_DECODE_PEERS); i++)
            CHECK(((const int64_t *)jst_decode_values(d, JST_DECODE_PEERS, c))[i] >= 0);
    sum += touch_binary(d, table, JST_DECODE_SEGMENT_WAIT);
    sum += touch_binary(d, table, JST_DECODE_SEGMENT_OFFCPU);
    sum += touch_binary(d, JST_DECODE_TOKENS, JST_DECODE_TOKEN_FUNCTION);
    return sum + touch_binary(d, JST_DECODE_TOKENS, JST_DECODE_TOKEN_MODULE);
}

static int file_of(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

static const jst_decode_result *read_half(jst_decode *d, int fd, uint64_t rows)
{
    d->max_rows = rows;
    CHECK(jst_decode_add_fd(d, fd, 0, 0, 0) == 0);
    d->max_rows = MAX_ROWS;
    return jst_decode_result_at(d, 0);
}

static void same_bytes(const void *a, const void *b, uint64_t bytes)
{
    CHECK(bytes == 0 || memcmp(a, b, bytes) == 0);
}

/* The first columns of two tables are the same: their widths in bits, one digit of bytes each. */
static void same_table(const jst_decode *a, const jst_decode *b, uint32_t table, const char *widths)
{
    const uint64_t rows = jst_decode_rows(a, table);
    CHECK(rows == jst_decode_rows(b, table));
    for (uint32_t c = 0; rows > 0 && widths[c] != '\0'; c++) {
        uint64_t bytes_a, bytes_b;
        const uint64_t width = widths[c] == 'b' ? 4 : (uint64_t)(widths[c] - '0');
        same_bytes(jst_decode_values(a, table, c), jst_decode_values(b, table, c), rows * width);
        if (widths[c] != 'b')
            continue;
        const uint8_t *heap_a = jst_decode_binary(a, table, c, &bytes_a);
        const uint8_t *heap_b = jst_decode_binary(b, table, c, &bytes_b);
        CHECK(bytes_a == bytes_b);
        same_bytes(heap_a, heap_b, bytes_a);
    }
}

static void same_states(const jst_decode *a, const jst_decode *b)
{
    uint64_t bytes_a, bytes_b;
    const uint8_t *state_a = jst_decode_states(a, &bytes_a);
    const uint8_t *state_b = jst_decode_states(b, &bytes_b);
    CHECK(bytes_a == bytes_b);
    same_bytes(state_a, state_b, bytes_a);
}

static jst_decode *read_rest(int fd, const jst_decode_result *h, const uint8_t *state,
                             uint32_t flags)
{
    jst_decode *d = batch(MAX_ROWS);
    const jst_decode_place place = {h->records_read, h->records_end, h->next_slice};
    if (state != NULL)
        jst_decode_go_on(d, &place, state, h->state_bytes);
    CHECK(jst_decode_add_fd(d, fd, 3, h->records_read, flags) == 0);
    return d;
}

/* A state that is not the file's: whatever it gives, it is harmless. */
static void wrong_state(int fd, const jst_decode_result *h, const uint8_t *state, uint32_t flags)
{
    if (h->state_bytes <= 9)
        return;
    uint8_t *bad = malloc(h->state_bytes);
    CHECK(bad != NULL);
    memcpy(bad, state, h->state_bytes);
    bad[9 + h->records_end % (h->state_bytes - 9)] ^= (uint8_t)(1u << h->records_read % 8);
    jst_decode *d = read_rest(fd, h, bad, flags);
    if (flags & JST_DECODE_SEGMENTS)
        touch_segments(d);
    else
        touch(d);
    jst_decode_free(d);
    free(bad);
}

/* What follows the first half of a profile, from there on and by reading all of it. */
static void go_on(int fd, uint64_t rows)
{
    static const uint8_t none[1];
    jst_decode *half = batch(MAX_ROWS);
    const jst_decode_result *h = read_half(half, fd, rows / 2 + 1);
    if (h->error.text == NULL && h->goes_on) {
        uint64_t bytes;
        const uint8_t *states = jst_decode_states(half, &bytes);
        const uint8_t *state = h->state_bytes > 0 ? states + h->state : none;
        CHECK(h->state <= bytes && h->state_bytes <= bytes - h->state);
        jst_decode *plain = read_rest(fd, h, NULL, JST_DECODE_REMAINDER);
        jst_decode *rest = read_rest(fd, h, state, JST_DECODE_REMAINDER);
        const jst_decode_result *p = jst_decode_result_at(plain, 0);
        const jst_decode_result *r = jst_decode_result_at(rest, 0);
        if (p->error.text == NULL && p->complete && p->warning_count == 0) {
            CHECK(r->resumed || h->records_read == 0);
            CHECK(r->records_read == p->records_read && r->warning_count == 0);
            CHECK(r->remainder == p->remainder && r->goes_on == p->goes_on);
            CHECK(r->state_bytes == p->state_bytes);
            same_states(plain, rest);
            same_table(plain, rest, JST_DECODE_SLICES, "48488888");
            same_table(plain, rest, JST_DECODE_MOUNT_SLICES, "48418888");
            same_table(plain, rest, JST_DECODE_PEER_SLICES, "484888888");
            same_table(plain, rest, JST_DECODE_COLLECTIVE_SLICES, "4848888b");
            same_table(plain, rest, JST_DECODE_COMMUNICATORS, "488b");
            same_table(plain, rest, JST_DECODE_GPU_SLICES, "48488888888888888888888");
        }
        touch(rest);
        jst_decode_free(plain);
        jst_decode_free(rest);
        wrong_state(fd, h, state, JST_DECODE_REMAINDER);
    }
    jst_decode_free(half);
}

/* Cuts the records of a file after about a half, and takes its ring away: as it was before. */
static bool cut_half(int fd, const uint8_t *data, size_t size)
{
    jst_head head;
    if (size < sizeof head || memcmp(data, JST_MAGIC, 8) != 0)
        return false;
    memcpy(&head, data, sizeof head);
    const uint64_t commit =
        head.commit_offset + (head.generation & 1) * (uint64_t)head.commit_bytes;
    if (commit > size - 8 || head.head_bytes > size)
        return false;
    jst_source s = {.fd = -1, .size = size, .window = data, .window_bytes = size};
    const uint64_t end = jst_load64(data + commit);
    uint64_t at = head.head_bytes;
    jst_record rec;
    while (at < head.head_bytes + (size - head.head_bytes) / 2 &&
           jst_record_frame(&s, at, end < size ? end : size, &rec) == JST_RECORD_GOOD)
        at = rec.next;
    const uint32_t none = 0;
    CHECK(pwrite(fd, &at, 8, (off_t)commit) == 8);
    CHECK(pwrite(fd, &none, 4, (off_t)JST_AT(ring_bytes)) == 4);
    return true;
}

/* The segments that follow the first half, from there on and by reading all of them. */
static void go_on_with_segments(const uint8_t *data, size_t size, int fd)
{
    int cut = file_of(data, size);
    jst_decode *half = batch(MAX_ROWS);
    CHECK(!cut_half(cut, data, size) ||
          jst_decode_add_fd(half, cut, 3, 0, JST_DECODE_SEGMENTS) == 0);
    const jst_decode_result *h = jst_decode_result_at(half, 0);
    if (h != NULL && h->error.text == NULL && h->goes_on) {
        uint64_t bytes;
        const uint8_t *state = jst_decode_states(half, &bytes) + h->state;
        CHECK(h->state_bytes > 9 && h->state_bytes <= bytes - h->state);
        jst_decode *plain = read_rest(fd, h, NULL, JST_DECODE_SEGMENTS);
        jst_decode *rest = read_rest(fd, h, state, JST_DECODE_SEGMENTS);
        const jst_decode_result *p = jst_decode_result_at(plain, 0);
        const jst_decode_result *r = jst_decode_result_at(rest, 0);
        CHECK(p->error.text == r->error.text);
        if (p->complete && r->complete) {
            CHECK(p->warning_count == r->warning_count && p->records_read == r->records_read);
            CHECK(p->goes_on == r->goes_on && (r->resumed || p->warning_count > 0));
            same_states(plain, rest);
            same_table(plain, rest, JST_DECODE_SEGMENT_ROWS,
                       "4888114882848"
                       "8888888888888888888888888888888"
                       "1bb");
            same_table(plain, rest, JST_DECODE_TOKENS, "484b88b");
            same_table(plain, rest, JST_DECODE_PEERS, "488888");
        }
        touch_segments(rest);
        jst_decode_free(plain);
        jst_decode_free(rest);
        wrong_state(fd, h, state, JST_DECODE_SEGMENTS);
    }
    close(cut);
    jst_decode_free(half);
}

/* The segments of a file, from memory and from a file, whole and from the middle on. */
static void segments(const uint8_t *data, size_t size, int fd)
{
    jst_decode *d = batch(MAX_ROWS), *f = batch(MAX_ROWS);
    CHECK(jst_decode_add_bytes(d, data, size, 7, 0, JST_DECODE_SEGMENTS) == 0);
    const jst_decode_result r = *jst_decode_result_at(d, 0);
    CHECK(jst_decode_add_fd(f, fd, 7, 0, JST_DECODE_SEGMENTS) == 0);
    const jst_decode_result *g = jst_decode_result_at(f, 0);
    CHECK(g->records_read == r.records_read && g->segments == r.segments && g->peers == r.peers);
    CHECK(g->error.text == r.error.text && g->tokens == r.tokens && g->slices == 0);
    CHECK(touch_segments(d) == touch_segments(f));
    jst_decode_free(f);
    f = batch(MAX_ROWS);
    uint64_t middle = r.records_read / 2;
    CHECK(jst_decode_add_fd(f, fd, 8, middle, JST_DECODE_SEGMENTS) == 0);
    const jst_decode_result *h = jst_decode_result_at(f, 0);
    const int64_t *number = jst_decode_values(f, JST_DECODE_SEGMENT_ROWS, 1);
    CHECK(h->segments <= r.segments || !r.complete);
    for (uint64_t i = 0; i < h->segments; i++)
        CHECK((uint64_t)number[i] >= middle && (i == 0 || number[i] > number[i - 1]));
    touch_segments(f);
    jst_decode_free(d);
    jst_decode_free(f);
    go_on_with_segments(data, size, fd);
}

/* The table of GPUs in the header is reported at each reading. */
static bool only_gpus(const jst_decode *d)
{
    uint64_t count;
    const jst_decode_event *e = jst_decode_events(d, &count);
    for (uint64_t i = 0; i < count; i++)
        if (e[i].type != JST_DECODE_EVENT_GPU)
            return false;
    return true;
}

/* What follows the first half of a profile: the same rows as from the normal reader. */
static void follow(const uint8_t *data, size_t size, uint64_t rows)
{
    if (size < JST_DECODE_HEAD_BYTES || memcmp(data, JST_MAGIC, 8) != 0)
        return;
    int fd = file_of(data, size);
    const uint64_t none = 0;
    CHECK(pwrite(fd, &none, 8, (off_t)JST_AT(end_ns)) == 8);
    jst_decode *half = batch(MAX_ROWS), *rest = batch(MAX_ROWS), *d = batch(MAX_ROWS);
    const jst_decode_result *h = read_half(half, fd, rows / 2 + 1);
    struct stat st;
    CHECK(fstat(fd, &st) == 0);
    if (h->error.text == NULL && h->goes_on) {
        jst_decode_place place = {h->records_read, h->records_end, h->next_slice};
        jst_decode_followed f = {.device = st.st_dev,
                                 .inode = st.st_ino,
                                 .owner = st.st_uid,
                                 .head_sum = h->head_sum,
                                 .record = place.record,
                                 .at = place.at,
                                 .slice = place.slice,
                                 .base = rows % 3 == 0 ? place.at / 2 : 0};
        jst_table_free(&d->table);
        d->table = half->table;
        half->table = (jst_table){0};
        CHECK(jst_follow_file(d, fd, &f, 0));
        uint64_t bytes;
        const uint8_t *states = jst_decode_states(half, &bytes);
        jst_decode_go_on(rest, &place, h->state_bytes > 0 ? states + h->state : NULL,
                         h->state_bytes);
        CHECK(jst_decode_add_fd(rest, fd, 0, place.record, 0) == 0);
        const jst_decode_result *r = jst_decode_result_at(rest, 0);
        if (f.status == JST_DECODE_FOLLOWED) {
            CHECK(r->error.text == NULL && r->goes_on && r->resumed && only_gpus(rest));
            CHECK(f.slices == r->slices && f.record == r->records_read);
            CHECK(f.at == r->records_end && f.slice == r->next_slice);
            CHECK(jst_decode_rows(d, 1) == jst_decode_rows(rest, 1));
            for (uint32_t c = 0; c < 3 + 5; c++)
                CHECK(r->slices == 0 ||
                      memcmp(jst_decode_values(d, 0, c), jst_decode_values(rest, 0, c),
                             r->slices * (c % 2 == 0 && c < 3 ? 4 : 8)) == 0);
        } else {
            CHECK(jst_decode_rows(d, 0) == 0 && f.at == place.at);
        }
        touch(d);
    }
    close(fd);
    jst_decode_free(half);
    jst_decode_free(rest);
    jst_decode_free(d);
}

/* The same file as memory and as a file, whole and in two parts, must give the same. */
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
    CHECK(g->peer_slices == r.peer_slices && g->collectives == r.collectives);
    CHECK(g->communicators == r.communicators && g->gpu_slices == r.gpu_slices);
    CHECK(touch(d) == touch(f));
    CHECK(r.slices == jst_decode_rows(d, JST_DECODE_SLICES));
    uint64_t middle = r.records_read / 2;
    CHECK(jst_decode_add_fd(f, fd, 8, middle, 0) == 1);
    const jst_decode_result *h = jst_decode_result_at(f, 1);
    CHECK(h->slices + r.remainder <= r.slices || h->complete == 0 || !r.complete);
    touch(f);
    segments(data, size, fd);
    go_on(fd, r.slices + r.mounts + r.peer_slices + r.collectives + r.gpu_slices);
    follow(data, size, r.slices + r.mounts);
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
        if (data[at] == JST_RECORD_SHORT_PROCESS && jst_take_bytes(&p, 4) != NULL)
            put32(data + (p.p - data) - 4, table_crc);
        size_t front = (size_t)(payload - data) + length - at;
        put32(data + at + front, jst_decode_crc32(data + at, front));
        at += front + 4;
    }
}

static uint32_t first_table_crc(const uint8_t *data, size_t size)
{
    jst_cursor c = {data, data + size};
    if (size == 0 || *c.p++ != JST_RECORD_SHORTS_HEADER)
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
