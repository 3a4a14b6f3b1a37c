/* slice.c: what happens at a slice boundary: sum the blocks, append one record, commit.
 *
 * Only the heartbeat runs this. A record and what the counters held when it was made are committed
 * together by one store (see the document of the format), so a kill at any instant neither loses
 * nor doubles a count. Where the file system refuses the record, nothing is committed and the next
 * one spans both slices.
 */
#include "slice.h"
#include "../include/jst_mpi.h"
#include "area.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "encode.h"
#include "modules/perf.h"
#include "mount.h"
#include "peers.h"
#include "profile_layout.h"
#include "segment_ring.h"
#include "sys.h"
#include "text.h"

/* Space: at most 5 MB per process and day at 4 s slices. Bursts have 512 KiB; after that, 180 bytes
 * per slice: a process that needs more gets records that span several slices. */
#define SPACE_BURST (512 * 1024)
#define SPACE_PER_SLICE 180

JST_LARGE static uint64_t sums[JST_CELL_COUNT], delta[JST_CELL_COUNT], taken[JST_CELL_COUNT];
JST_LARGE static uint64_t more_base[JST_CELL_COUNT]; /* what records hold of the blocks in memory */
JST_LARGE static uint8_t frame[JST_RECORD_MAX + JST_FRAME_GAP + 8];
static uint64_t expected_slice;           /* end of the newest 'S' record */
static uint64_t mounts_written;           /* a bit per slot */
static uint64_t clock_offset;             /* realtime - boottime at the previous tick */
static uint32_t clock_state, clock_error; /* as last written */
static uint64_t first_slice;

bool jst_append(int fd, uint8_t type, uint8_t *buffer, size_t n)
{
    jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    size_t size;
    uint8_t *start = jst_frame(buffer, type, n, &size);
    if (jst_pwrite(fd, start, size, c->records_end) != (long)size)
        return false;
    c->records_end += size;
    return true;
}

void jst_note(int fd, uint64_t now_ns, const char *text)
{
    uint8_t *p = jst_put_varint(frame + JST_FRAME_GAP, now_ns);
    p = jst_put_string(p, text, jst_strlen(text));
    jst_append(fd, 'N', frame, (size_t)(p - frame) - JST_FRAME_GAP);
}

/* ---- clock ---- */

static void write_clock(int fd, uint64_t now_ns, int64_t step)
{
    uint8_t *p = jst_put_varint(frame + JST_FRAME_GAP, now_ns);
    p = jst_put_varint(p, clock_state);
    p = jst_put_varint(p, clock_error);
    p = jst_put_svarint(p, step);
    jst_append(fd, 'C', frame, (size_t)(p - frame) - JST_FRAME_GAP);
}

/* Written when the state changes, the error bound halves or doubles, or the clock was set. */
static void check_clock(int fd, uint64_t now_ns)
{
    uint32_t state, error;
    uint64_t offset = jst_clock_ns(CLOCK_REALTIME) - jst_clock_ns(CLOCK_BOOTTIME);
    int64_t step = (int64_t)(offset - clock_offset);
    bool jumped = step > 10000000 || step < -10000000; /* slewing moves less than that in a slice */
    clock_offset = offset;
    jst_clock_state(&state, &error);
    jst_a.head.clock_state = state;
    jst_a.head.clock_error_us = error;
    if (!jumped && state == clock_state && error / 2 <= clock_error && clock_error / 2 <= error)
        return;
    clock_state = state;
    clock_error = error;
    write_clock(fd, now_ns, jumped ? step : 0);
}

/* ---- mounts ---- */

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The next field of a mountinfo line, with its end marked by a NUL; octal escapes are undone. */
static char *next_field(char **line)
{
    char *from = *line, *to = from, *p = from;
    while (*p && *p != ' ' && *p != '\n') {
        if (p[0] == '\\' && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
            *to++ = (char)(uint8_t)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to++ = *p++;
        }
    }
    *line = *p ? p + 1 : p;
    *to = 0;
    return from;
}

static uint64_t number(const char **p)
{
    uint64_t v = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        v = v * 10 + (uint64_t)(**p - '0');
    return v;
}

static void write_mount(int fd, unsigned slot, const char *path, const char *type,
                        const char *source)
{
    uint8_t *p = jst_put_varint(frame + JST_FRAME_GAP, slot);
    size_t n = jst_strlen(path), m = jst_strlen(source);
    p = jst_put_varint(p, jst_a.head.mounts[slot].major);
    p = jst_put_varint(p, jst_a.head.mounts[slot].minor);
    p = jst_put_varint(p, jst_a.head.mounts[slot].mnt_id);
    p = jst_put_varint(p, jst_a.head.mounts[slot].fs_magic);
    p = jst_put_string(p, path, n < 1024 ? n : 1024);
    p = jst_put_string(p, type, jst_strlen(type) < 64 ? jst_strlen(type) : 64);
    p = jst_put_string(p, source, m < 1024 ? m : 1024);
    jst_append(fd, 'M', frame, (size_t)(p - frame) - JST_FRAME_GAP);
    mounts_written |= 1ull << slot;
}

/* mountinfo: id parent major:minor root path options [optional ...] - type source super */
static void match_line(int fd, char *line, uint64_t wanted, bool by_device)
{
    char *at = line;
    const char *p = next_field(&at);
    uint64_t id = number(&p);
    next_field(&at);
    p = next_field(&at);
    uint64_t maj = number(&p);
    p += *p == ':';
    uint64_t min = number(&p);
    next_field(&at);
    const char *path = next_field(&at);
    const char *field = path;
    while (*field && !(field[0] == '-' && !field[1]))
        field = next_field(&at);
    const char *type = next_field(&at), *source = next_field(&at);
    for (unsigned slot = 0; slot < JST_MOUNT_SLOTS; slot++) {
        if (!(wanted & 1ull << slot) || (mounts_written & 1ull << slot))
            continue;
        bool same =
            by_device ? jst_a.head.mounts[slot].major == maj && jst_a.head.mounts[slot].minor == min
                      : jst_a.head.mounts[slot].mnt_id == id;
        if (same)
            write_mount(fd, slot, path, type, source);
    }
}

static void scan_mounts(int fd, uint64_t wanted, bool by_device)
{
    JST_SCRATCH static char text[16384];
    int in = jst_openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0);
    size_t have = 0;
    for (long n = 1; in >= 0 && n > 0;) {
        n = jst_read(in, text + have, sizeof text - 1 - have);
        if (n > 0)
            have += (size_t)n;
        size_t from = 0;
        for (size_t i = 0; i < have; i++)
            if (text[i] == '\n') {
                text[i] = 0;
                match_line(fd, text + from, wanted, by_device);
                from = i + 1;
            }
        for (size_t i = from; i < have; i++)
            text[i - from] = text[i];
        have = from == 0 && have == sizeof text - 1 ? 0 : have - from;
    }
    if (in >= 0)
        jst_close(in);
}

static void check_mounts(int fd)
{
    uint64_t wanted = 0;
    for (unsigned slot = 0; slot < JST_MOUNT_SLOTS; slot++)
        if (atomic_load(&jst_a.head.mounts[slot].used))
            wanted |= 1ull << slot;
    if (!(wanted & ~mounts_written))
        return;
    scan_mounts(fd, wanted, false);
    if (wanted & ~mounts_written)
        scan_mounts(fd, wanted, true);
    for (unsigned slot = 0; slot < JST_MOUNT_SLOTS; slot++)
        if (wanted & ~mounts_written & 1ull << slot)
            write_mount(fd, slot, "", "", ""); /* known by its device number only */
}

/* ---- slices ---- */

static bool is_state(unsigned cell)
{
    return cell >= JST_CELL_STATE_P2P_NS && cell <= JST_CELL_STATE_IO_NS;
}

/* Adds a block's cells, and the time of the call that is in progress in its thread: a call of ten
 * slices shows in each of them. The mark is read before and after: a call that ends in between is
 * in the cells or will be next time. */
static void add_block(uint64_t *to, const jst_block *b, uint64_t now)
{
    uint32_t mark = JST_LOAD(b->mark);
    uint64_t since = JST_LOAD(b->since);
    atomic_signal_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < JST_CELL_COUNT; i++)
        to[i] += JST_LOAD(b->cells[i]);
    atomic_signal_fence(memory_order_seq_cst);
    if (is_state(mark) && mark == JST_LOAD(b->mark) && since == JST_LOAD(b->since) && now > since)
        to[mark] += now - since;
}

/* What was in progress last time may not have arrived in its cell yet, and what is no level never
 * shrinks: no less than before, since a record could only say it as 2^64 less a little. */
static void not_less(uint64_t *now, const uint64_t *before)
{
    for (unsigned i = 0; i < JST_CELL_COUNT; i++)
        if (jst_cell_kind[i] != JST_CODE_GAUGE && (int64_t)(now[i] - before[i]) < 0)
            now[i] = before[i];
}

/* Sums over the blocks in the file into sums, and what the blocks in memory add into delta. */
static void gather(const jst_commit *c)
{
    uint32_t used = atomic_load(&jst_blocks);
    jst_block *more = atomic_load(&jst_more);
    uint64_t now = jst_ticks();
    for (unsigned i = 0; i < JST_CELL_COUNT; i++)
        sums[i] = delta[i] = 0;
    for (uint32_t b = 0; b < used && b < JST_BLOCKS; b++)
        add_block(sums, &jst_a.blocks[b], now);
    for (uint32_t b = JST_BLOCKS; b < used && more; b++)
        add_block(delta, &more[b - JST_BLOCKS], now);
    not_less(sums, c->base);
    not_less(delta, more_base);
    for (unsigned i = 0; i < JST_CELL_COUNT; i++)
        delta[i] = delta[i] - more_base[i] + (sums[i] - c->base[i]);
}

/* ---- what jostle itself costs ---- */

static uint64_t stamp_ns; /* price of one time stamp */

static void calibrate_price(void)
{
    uint64_t t = jst_ticks();
    for (int i = 0; i < 31; i++)
        (void)jst_ticks();
    stamp_ns = jst_ticks_to_ns(jst_ticks() - t) / 32;
}

static uint64_t sum_of_slots(unsigned cell)
{
    uint64_t sum = 0;
    for (unsigned slot = 0; slot < JST_MOUNT_SLOTS; slot++)
        sum += jst_sum_cell(slot * JST_MOUNT_STRIDE + cell);
    return sum;
}

/* Polls apart: of the others they cannot be taken off, since threads go on between two sums. */
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

/* A counted call costs two time stamps and about 8 ns, one of MPI 15; a poll, of which few are timed, 8
 * in all; a character function, which is in no histogram, about 2. Totals, so that it does not matter
 * how often this runs. */
static void account(void)
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
    own[JST_CELL_SELF_COST_NS] = calls * (2 * stamp_ns + 8) + mpi * (2 * stamp_ns + 15) +
                                 polls * 8 + chars * 2 + cpu + jst_perf_cost_ns();
}

/* Does anything but the rounding of times want to be written? */
static bool is_idle(uint64_t slice_ns)
{
    for (unsigned i = 0; i < JST_CELL_COUNT; i++) {
        if (!delta[i])
            continue;
        uint64_t ns = delta[i];
        if (jst_cell_kind[i] == JST_CODE_TIMER)
            ns = jst_ticks_to_ns(ns);
        else if (jst_cell_kind[i] != JST_CODE_NS)
            return false;
        if (ns > slice_ns / 1000)
            return false;
    }
    return true;
}

/* What was written of a cell is taken from the file's blocks as far as they grew, the rest from
 * the blocks in memory. */
static void settle(const jst_commit *c, jst_commit *next)
{
    for (unsigned i = 0; i < JST_CELL_COUNT; i++) {
        uint64_t grown = sums[i] - c->base[i];
        uint64_t here = jst_cell_kind[i] == JST_CODE_GAUGE || taken[i] < grown ? taken[i] : grown;
        next->base[i] = c->base[i] + here;
        if (taken[i] != here)
            more_base[i] += taken[i] - here;
    }
}

static void write_slice(int fd, uint64_t open, uint64_t now_slice)
{
    uint64_t generation = atomic_load(&jst_a.head.generation);
    jst_commit *c = &jst_a.commit[generation & 1], *next = &jst_a.commit[(generation + 1) & 1];
    uint64_t end = now_slice > open ? now_slice : open + 1; /* the clock may have gone back */
    size_t size;
    gather(c);
    for (unsigned i = 0; i < JST_CELL_COUNT; i++)
        taken[i] = 0;
    uint64_t position = c->records_end;
    uint64_t expected = expected_slice;
    if (!is_idle(jst_cfg.slice_ns * (end - open))) {
        uint8_t *p = jst_put_svarint(frame + JST_FRAME_GAP, (int64_t)(open - expected));
        p = jst_put_varint(p, end - open);
        p = jst_put_cells(p, delta, taken, JST_LOAD(jst_tick_ns));
        uint8_t *start = jst_frame(frame, 'S', (size_t)(p - frame) - JST_FRAME_GAP, &size);
        uint64_t room = JST_HEAD_BYTES + SPACE_BURST + SPACE_PER_SLICE * (end - first_slice);
        if (end > first_slice && position + size > room)
            return; /* the next record spans this slice too */
        if (jst_pwrite(fd, start, size, position) != (long)size)
            return;
        position += size;
        expected = end;
    }
    settle(c, next);
    next->records_end = position;
    next->open_slice = now_slice;
    atomic_store_explicit(&jst_a.head.generation, generation + 1, memory_order_release);
    expected_slice = expected;
}

void jst_slice_begin(int fd)
{
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    expected_slice = first_slice = c->open_slice;
    mounts_written = 0;
    clock_offset = now - jst_clock_ns(CLOCK_BOOTTIME);
    clock_state = jst_a.head.clock_state;
    clock_error = jst_a.head.clock_error_us;
    if (jst_now_life.part == 0)
        for (unsigned i = 0; i < JST_CELL_COUNT; i++)
            if (more_base[i]) /* no page of it is touched where nothing was kept */
                more_base[i] = 0;
    calibrate_price();
    check_mounts(fd);
}

void jst_slice_finish(int fd)
{
    uint64_t generation = atomic_load(&jst_a.head.generation);
    uint64_t open = jst_a.commit[generation & 1].open_slice;
    account();
    check_mounts(fd);
    jst_segments_drain(fd);
    jst_peers_write(fd);
    if (atomic_load(&jst_more))
        write_slice(fd, open, open);
}

/* Nearer to the next boundary than to its own: most of what was done since is not of the slice that
 * has ended, so the next record shall span both. Not twice in a row, or a heartbeat that is always
 * late would never write. */
static bool is_too_late(uint64_t open, uint64_t now_ns)
{
    return now_ns / jst_cfg.slice_ns == open + 1 &&
           now_ns % jst_cfg.slice_ns > jst_cfg.slice_ns / 2;
}

void jst_slice_tick(int fd, uint64_t now_ns)
{
    jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    jst_clock_calibrate();
    jst_a.head.tick_ns = JST_LOAD(jst_tick_ns);
    jst_mounts_forget();
    check_mounts(fd);
    check_clock(fd, now_ns);
    uint64_t slice = now_ns / jst_cfg.slice_ns;
    account();
    if (slice != c->open_slice && !is_too_late(c->open_slice, now_ns))
        write_slice(fd, c->open_slice, slice);
    jst_segments_drain(fd);
    jst_a.head.heartbeat_ns = jst_clock_ns(CLOCK_REALTIME);
    jst_a.head.tick_now = jst_ticks();
}
