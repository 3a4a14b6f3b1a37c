/* slice.c: the work at a slice boundary: sum the blocks, append one record, commit.
 *
 * Only the heartbeat runs this. A record and the counters at that time are committed together by
 * one store (see the document of the format), so a kill at any instant neither loses nor doubles a
 * count. Where the file system refuses the record, nothing is committed and the next one spans both
 * slices.
 */
#include "slice.h"
#include "block.h"
#include "clock.h"
#include "clock_record.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "files/mount.h"
#include "gpu_record.h"
#include "mount_record.h"
#include "mpi/peers.h"
#include "mpi/segment_ring.h"
#include "process/left.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "profile/profile_layout.h"
#include "profile/self_cost.h"
#include "record.h"
#include "sys.h"

/* Most records contain the differences from the newest one that is written in full. Full ones
 * become rarer the longer the profile is: the first is of a part of a slice, and unlike all after
 * it. */
#define LIKES_MOST 63
JST_LARGE static jst_base base;
static uint64_t base_at; /* where that record is in the file */
static size_t base_size;
static unsigned likes, likes_most; /* records since, and after how many the next one is due */

/* Space: at most 5 MB per process and day at 4 s slices. Bursts have 512 KiB; after that, 180 bytes
 * per slice: a process that needs more gets records that span several slices. Records of other
 * types have limits of their own: they take nothing from slices. */
#define SPACE_BURST (512 * 1024)
#define SPACE_PER_SLICE 180

/* RATIONALE: a program counts in few of the cells, and these rarely change. A group that is zero in
 * all blocks is skipped: its sums and its delta stay zero. */
#define LIVE_WORDS ((JST_CELL_GROUPS + 63) / 64)
#define LOOK_FOR_DEAD 64 /* slices */

static uint64_t live[LIVE_WORDS]; /* a bit per group: it is not zero, or its base is not */
static unsigned until_dead;       /* slices until groups of zeros are searched */
JST_LARGE static uint64_t sums[JST_CELL_COUNT], delta[JST_CELL_COUNT], taken[JST_CELL_COUNT];
JST_LARGE static uint64_t more_base[JST_CELL_COUNT]; /* memory blocks' part in records */
static uint64_t expected_slice;                      /* end of the newest 'S' record */
static uint64_t first_slice;
static uint64_t written;  /* bytes of records of slices */
static uint64_t gathered; /* when the blocks were read last, ticks */

static inline void set_live(unsigned cell, bool is)
{
    uint64_t bit = UINT64_C(1) << cell / JST_GROUP % 64, *word = &live[cell / JST_GROUP / 64];
    *word = is ? *word | bit : *word & ~bit;
}

/* The first cell of the first live group at or after the one that begins with this cell. */
static unsigned live_from(unsigned cell)
{
    unsigned g = cell / JST_GROUP;
    for (unsigned w = g / 64; w < LIVE_WORDS; g = ++w * 64)
        if (live[w] >> g % 64)
            return (g + (unsigned)__builtin_ctzll(live[w] >> g % 64)) * JST_GROUP;
    return JST_CELL_COUNT;
}

static inline unsigned first_live(void)
{
    return live_from(0);
}

/* The next cell of a live group; JST_CELL_COUNT: there is none. */
static inline unsigned next_live(unsigned cell)
{
    return ++cell % JST_GROUP ? cell : live_from(cell);
}

static bool is_state(unsigned cell)
{
    return (cell >= JST_CELL_STATE_P2P_NS && cell <= JST_CELL_STATE_IO_NS) ||
           cell == JST_CELL_GPU_WAIT_NS;
}

/* Adds a block's cells, and the time of the call that is in progress in its thread: a call of ten
 * slices appears in each of them. The mark is read before and after: a call that ends in between is
 * in the cells or will be next time. */
static void add_block(uint64_t *to, const jst_block *b, uint64_t now)
{
    uint32_t mark = JST_LOAD(b->mark);
    uint64_t since = JST_LOAD(b->since);
    atomic_signal_fence(memory_order_seq_cst);
    for (unsigned first = 0; first < JST_CELL_COUNT; first += JST_GROUP) {
        if (!jst_any_of_group(b->cells + first))
            continue;
        set_live(first, true);
        for (unsigned i = first; i < first + JST_GROUP; i++)
            to[i] += JST_LOAD(b->cells[i]);
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (is_state(mark) && mark == JST_LOAD(b->mark) && since == JST_LOAD(b->since) && now > since) {
        set_live(mark, true);
        to[mark] += now - since;
    }
}

/* A group whose cells have gone back to zero still has to be recorded, and settled in both commits. */
static void find_dead(void)
{
    const jst_commit *c = jst_a.commit;
    for (unsigned first = first_live(); first < JST_CELL_COUNT;
         first = live_from(first + JST_GROUP)) {
        uint64_t any = 0;
        for (unsigned i = first; i < first + JST_GROUP; i++)
            any |= sums[i] | delta[i] | more_base[i] | c[0].base[i] | c[1].base[i];
        set_live(first, any != 0);
    }
}

/* Time of a call in progress that an earlier record already contains may not have reached its
 * cell yet, so a sum may seem smaller than before. Only levels can shrink; for all other cells
 * the old value is kept, since a negative difference would be written as nearly 2^64. */
static inline uint64_t not_less(unsigned cell, uint64_t now, uint64_t before)
{
    bool shrunk = jst_cell_kind[cell] != JST_CODE_GAUGE && (int64_t)(now - before) < 0;
    return shrunk ? before : now;
}

/* Sums over the blocks in the file into sums, and what the blocks in memory add into delta. */
static void gather(const jst_commit *c)
{
    uint32_t used = atomic_load(&jst_blocks);
    jst_block *more = atomic_load(&jst_more);
    uint64_t now = jst_ticks();
    jst_end_marks_of_dead(gathered);
    gathered = now;
    for (unsigned i = first_live(); i < JST_CELL_COUNT; i = next_live(i))
        sums[i] = delta[i] = taken[i] = 0;
    for (uint32_t b = 0; b < used && b < JST_BLOCKS; b++)
        add_block(sums, &jst_a.blocks[b], now);
    for (uint32_t b = JST_BLOCKS; b < used && more; b++)
        add_block(delta, &more[b - JST_BLOCKS], now);
    if (until_dead-- == 0) {
        find_dead();
        until_dead = LOOK_FOR_DEAD;
    }
    for (unsigned i = first_live(); i < JST_CELL_COUNT; i = next_live(i)) {
        sums[i] = not_less(i, sums[i], c->base[i]);
        if (more) /* else no page of more_base is touched */
            delta[i] = not_less(i, delta[i], more_base[i]) - more_base[i];
        delta[i] += sums[i] - c->base[i];
    }
}

/* Is there anything to write except the rounding of times? */
static bool is_idle(uint64_t slice_ns)
{
    for (unsigned i = first_live(); i < JST_CELL_COUNT; i = next_live(i)) {
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

/* Counts the amount written for each cell: first against the growth of the blocks in the file,
 * the rest against the blocks in memory. */
static void settle(const jst_commit *c, jst_commit *next)
{
    for (unsigned i = first_live(); i < JST_CELL_COUNT; i = next_live(i)) {
        uint64_t grown = sums[i] - c->base[i];
        uint64_t here = jst_cell_kind[i] == JST_CODE_GAUGE || taken[i] < grown ? taken[i] : grown;
        next->base[i] = c->base[i] + here;
        if (taken[i] != here)
            more_base[i] += taken[i] - here;
    }
}

/* The record in jst_record_buffer. Returns its start. */
static uint8_t *make_record(uint64_t position, uint64_t late, uint64_t span, size_t *size,
                            bool *like)
{
    uint8_t *begin = jst_record_buffer + JST_FRAME_GAP, *p;
    uint64_t tick_ns = JST_LOAD(jst_tick_ns);
    p = jst_put_varint(jst_put_svarint(begin, (int64_t)late), span);
    *like = base.count && likes < likes_most;
    if (*like) {
        uint8_t *end =
            jst_put_like(jst_put_varint(p, position - base_at), &base, delta, taken, tick_ns);
        *like = end && (size_t)(end - begin) < base_size;
        if (*like)
            return jst_frame(jst_record_buffer, JST_RECORD_SLICE_LIKE, (size_t)(end - begin), size);
    }
    p = jst_put_cells(p, delta, taken, tick_ns);
    return jst_frame(jst_record_buffer, JST_RECORD_SLICE, (size_t)(p - begin), size);
}

static void write_slice(int fd, uint64_t open, uint64_t now_slice)
{
    uint64_t generation = atomic_load(&jst_a.head.generation);
    jst_commit *c = &jst_a.commit[generation & 1], *next = &jst_a.commit[(generation + 1) & 1];
    uint64_t end = now_slice > open ? now_slice : open + 1; /* the clock may have gone back */
    size_t size;
    gather(c);
    uint64_t position = c->records_end;
    uint64_t expected = expected_slice;
    if (!is_idle(jst_cfg.slice_ns * (end - open))) {
        bool like;
        uint8_t *start = make_record(position, open - expected, end - open, &size, &like);
        uint64_t space = SPACE_BURST + SPACE_PER_SLICE * (end - first_slice);
        if (end > first_slice && written + size > space)
            return; /* the next record spans this slice too */
        if (jst_pwrite(fd, start, size, position) != (long)size)
            return;
        likes = like ? likes + 1 : 0;
        if (!like) {
            likes_most = !base.count                       ? 0
                         : 2 * likes_most + 1 < LIKES_MOST ? 2 * likes_most + 1
                                                           : LIKES_MOST;
            jst_base_advance(&base, delta, JST_LOAD(jst_tick_ns));
            base_at = position;
            base_size = size;
        }
        position += size;
        written += size;
        expected = end;
    }
    settle(c, next);
    next->records_end = position;
    JST_STORE(next->open_slice, now_slice);
    atomic_store_explicit(&jst_a.head.generation, generation + 1, memory_order_release);
    expected_slice = expected;
}

void jst_slice_begin(int fd)
{
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    expected_slice = first_slice = c->open_slice;
    for (unsigned cell = 0; cell < JST_CELL_COUNT; cell += JST_GROUP)
        set_live(cell, true); /* until it has been checked */
    until_dead = 0;
    gathered = 0;
    base.count = 0;
    written = 0;
    jst_mount_records_begin();
    jst_clock_record_begin(now);
    if (jst_now_life.part == 0)
        for (unsigned i = 0; i < JST_CELL_COUNT; i++)
            if (more_base[i]) /* no page of it is touched where nothing was stored */
                more_base[i] = 0;
    jst_self_cost_begin();
    jst_gpu_records_begin();
    jst_mount_records_write(fd);
}

void jst_slice_finish(int fd)
{
    uint64_t generation = atomic_load(&jst_a.head.generation);
    uint64_t open = jst_a.commit[generation & 1].open_slice;
    jst_self_cost_account();
    jst_mount_records_write(fd);
    jst_segments_drain(fd);
    jst_communicators_drain(fd);
    jst_end_marks_of_dead(gathered);
    if (atomic_load(&jst_more))
        write_slice(fd, open, open);
}

/* Returns whether the heartbeat is late by more than half a slice. Then much of what the record
 * would contain does not belong to the slice that has ended, so the next record spans both
 * slices. Not twice in a row, or a heartbeat that is always late would never write. */
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
    jst_mount_records_write(fd);
    jst_clock_record_check(fd, now_ns);
    uint64_t slice = now_ns / jst_cfg.slice_ns;
    jst_self_cost_account();
    if (slice != c->open_slice && !is_too_late(c->open_slice, now_ns)) {
        write_slice(fd, c->open_slice, slice);
        jst_peers_tick(fd, slice);
        jst_gpu_records_tick(fd, slice);
    }
    jst_segments_drain(fd);
    jst_a.head.heartbeat_ns = jst_clock_ns(CLOCK_REALTIME);
    JST_STORE(jst_a.head.tick_now, jst_ticks());
}
