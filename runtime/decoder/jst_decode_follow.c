/* jst_decode_follow.c: the new slices of profiles that were read before and have only grown.
 *
 * RATIONALE: a reader that follows a site reads each profile every few seconds, and what is new is
 * a hundred bytes. Only what can have changed is read here: the header, the valid commit and the new
 * records. Whatever is not just a further slice is left to jst_decode_add. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_NOFOLLOW */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jst_decode_parts.h"

#define ATTEMPTS 4      /* readings of a header that changes meanwhile */
#define MOST_NEW 65536u /* bytes of new records; more are read by jst_decode_add */
#define NEAR 16384u     /* bytes between a base and the new records that are read with them */

/* One slice of a followed profile. */
typedef struct pending_slice {
    uint64_t slice, first_cell;
    uint32_t span, cells;
} pending_slice;

static bool room_for(jst_memory *m, uint64_t count, size_t bytes)
{
    return count * bytes <= m->bytes || jst_memory_grow(m, count * bytes * 2);
}

/* Keeps the cells of the record that was decoded last. */
static bool pend(jst_decode *d, uint64_t slice, uint64_t span)
{
    jst_pending *p = &d->pending;
    const jst_moved *m = &d->moved;
    if (!room_for(&p->slices, p->slice_count + 1, sizeof(pending_slice)) ||
        !room_for(&p->cells, p->cell_count + m->count, sizeof *m->cells) ||
        !room_for(&p->values, p->cell_count + m->count, sizeof *m->values))
        return false;
    ((pending_slice *)(void *)p->slices.p)[p->slice_count++] = (pending_slice){
        .slice = slice, .span = (uint32_t)span, .first_cell = p->cell_count, .cells = m->count};
    if (m->count > 0) {
        memcpy((uint16_t *)(void *)p->cells.p + p->cell_count, m->cells,
               m->count * sizeof *m->cells);
        memcpy((uint64_t *)(void *)p->values.p + p->cell_count, m->values,
               m->count * sizeof *m->values);
    }
    p->cell_count += m->count;
    return true;
}

/* Puts the slices of one profile into columns. The commit has the levels after the last of them. */
static bool put_rows(jst_decode *d, int32_t process)
{
    const jst_table *t = &d->table;
    const jst_pending *p = &d->pending;
    const pending_slice *slices = (const pending_slice *)(const void *)p->slices.p;
    for (uint32_t i = 0; i < t->gauge_count; i++)
        d->levels[t->gauges[i]] = 0;
    for (int put = 0; put < 2; put++) {
        for (uint64_t i = 0; i < p->slice_count; i++) {
            const jst_moved m = {.count = slices[i].cells,
                                 .cells = (uint16_t *)(void *)p->cells.p + slices[i].first_cell,
                                 .values = (uint64_t *)(void *)p->values.p + slices[i].first_cell};
            if (t->gauge_count > 0)
                jst_levels_follow(d, t, &m);
            if (put &&
                !jst_rows_put(d, t, &m, process, (int64_t)slices[i].slice, (int32_t)slices[i].span))
                return false;
        }
        for (uint32_t i = 0; !put && i < t->gauge_count; i++)
            d->levels[t->gauges[i]] = d->committed[t->gauges[i]] - d->levels[t->gauges[i]];
    }
    return true;
}

static bool read_at(int fd, uint8_t *p, size_t bytes, uint64_t at)
{
    for (size_t got = 0; got < bytes;) {
        ssize_t n = pread(fd, p + got, bytes - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

/* The header and the valid commit, as they were at one instant (see jst_commit_read); where the
 * records end. 0: something has changed that must not, or it changes too fast. */
static uint64_t read_commit(jst_job *j, const jst_decode_followed *f)
{
    const jst_table *t = &j->d->table;
    uint8_t *buffer = j->d->buffer, now[8];
    uint32_t cells = 0;
    for (uint32_t i = 0; i < t->gauge_count; i++)
        if (t->gauges[i] >= cells)
            cells = t->gauges[i] + 1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!read_at(j->s->fd, j->r->head, JST_DECODE_HEAD_BYTES, 0) ||
            jst_head_sum(j->r->head) != f->head_sum || JST_HEADER(j, end_ns) != 0 ||
            JST_HEADER(j, cell_count) != t->cell_count)
            return 0;
        uint64_t generation = JST_HEADER(j, generation);
        uint64_t at = JST_HEADER(j, commit_offset) + (generation & 1) * JST_HEADER(j, commit_bytes);
        const size_t base = offsetof(jst_commit, base);
        if (!read_at(j->s->fd, buffer, base + 8 * (size_t)cells, at) ||
            !read_at(j->s->fd, now, sizeof now, JST_AT(generation)))
            return 0;
        if (jst_load64(now) != generation)
            continue;
        for (uint32_t i = 0; i < t->gauge_count; i++)
            j->d->committed[t->gauges[i]] = jst_load64(buffer + base + 8 * (size_t)t->gauges[i]);
        return jst_load64(buffer);
    }
    return 0;
}

/* Decodes the new records. */
static bool take_new(jst_job *j, jst_walk *w)
{
    jst_record rec;
    enum jst_record_state state;
    while ((state = jst_record_at(j->s, w->at, w->end, &rec)) == JST_RECORD_GOOD) {
        uint64_t slice, span;
        if ((rec.type != JST_RECORD_SLICE && rec.type != JST_RECORD_SLICE_LIKE) ||
            !jst_slice_take(j, &rec, w, &slice, &span))
            return false;
        if (!pend(j->d, slice, span)) {
            j->no_memory = true;
            return false;
        }
        w->at = rec.next;
        w->number++;
    }
    return state == JST_RECORD_END;
}

bool jst_follow_file(jst_decode *d, int fd, jst_decode_followed *f, int32_t process)
{
    struct stat st;
    f->status = JST_DECODE_WHOLE;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_dev != f->device ||
        st.st_ino != f->inode || st.st_uid != f->owner)
        return true;
    jst_decode_result r;
    jst_source s = {
        .fd = fd, .window = d->buffer, .buffer = d->buffer, .buffer_bytes = JST_WINDOW_BYTES};
    jst_job j = {.d = d, .r = &r, .s = &s, .process = process};
    if (!jst_decode_scratch(d, d->table.cell_count))
        return false;
    uint64_t end = read_commit(&j, f);
    if (end == 0 || end < f->at || end - f->at > MOST_NEW || f->at < JST_HEADER(&j, head_bytes))
        return true;
    s.size = end; /* a shorter file gives a short read, and with it a cut record */
    d->pending.slice_count = d->pending.cell_count = 0;
    jst_walk w = {.at = f->at, .number = f->record, .expected = f->slice, .end = end};
    if (f->base != 0 && f->base < f->at && f->at - f->base <= NEAR && end > f->at)
        jst_source_at(&s, f->base, 1); /* with it, all that follows comes into the window */
    if (!take_new(&j, &w))
        return !j.no_memory;
    if (!put_rows(d, process))
        return false;
    f->status = JST_DECODE_FOLLOWED;
    f->slices = (uint32_t)d->pending.slice_count;
    f->record = w.number;
    f->at = w.at;
    f->slice = w.expected;
    f->base = w.base != 0 ? w.base : f->base;
    f->heartbeat_ns = JST_HEADER(&j, heartbeat_ns);
    f->lost_threads = JST_HEADER(&j, lost_threads);
    f->clock_state = JST_HEADER(&j, clock_state);
    f->clock_error_us = JST_HEADER(&j, clock_error_us);
    return true;
}

static bool follow_path(jst_decode *d, const char *path, jst_decode_followed *f, int32_t process)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        f->status = errno == ENOENT ? JST_DECODE_GONE : JST_DECODE_WHOLE;
        return true;
    }
    bool ok = jst_follow_file(d, fd, f, process);
    close(fd);
    return ok;
}

static bool is_used(uint32_t table, const jst_decode_followed *followed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (followed[i].table == table)
            return true;
    return false;
}

/* All profiles with one metric table. RATIONALE: a table that none of them has is not prepared:
 * with a very large table of a hostile user, that would take longer than all the profiles. */
static bool follow_table(jst_decode *d, const jst_decode_shape *shape, uint32_t number,
                         const char *paths, uint64_t path_bytes, jst_decode_followed *followed,
                         uint32_t count)
{
    const jst_table wanted = {.cell_count = shape->cell_count,
                              .slots = shape->slots,
                              .stride = shape->stride,
                              .text_bytes = shape->text_bytes};
    if (!is_used(number, followed, count))
        return true;
    jst_table_free(&d->table);
    const char *wrong = jst_table_read(&d->table, &wanted, shape->text, d);
    bool ok = true;
    for (uint32_t i = 0; wrong == NULL && ok && i < count; i++) {
        jst_decode_followed *f = &followed[i];
        if (f->table != number || f->path >= path_bytes)
            continue;
        if (jst_full(d))
            f->status = JST_DECODE_LATER;
        else
            ok = follow_path(d, paths + f->path, f, (int32_t)i);
    }
    if (wrong != NULL)
        jst_table_free(&d->table);
    return ok;
}

int32_t jst_decode_follow(jst_decode *d, const jst_decode_shape *shapes, uint32_t shape_count,
                          const char *paths, uint64_t path_bytes, jst_decode_followed *followed,
                          uint32_t count)
{
    if (path_bytes == 0 || paths[path_bytes - 1] != '\0' || count > INT32_MAX)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        followed[i].status = JST_DECODE_WHOLE;
        followed[i].slices = 0;
    }
    for (uint32_t i = 0; i < shape_count; i++)
        if (!follow_table(d, &shapes[i], i, paths, path_bytes, followed, count))
            return -1;
    return 0;
}
