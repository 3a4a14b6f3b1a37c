/* file.c: looks at files and says whether their writers are gone. Of what users wrote, only the fields
 * at fixed places of a head are read. */
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alive.h"

#define PAGE 4096u
#define BATCH_MOST 65536

static uint8_t *head_bytes; /* the head that is looked at ... */
static uint64_t *hashes;    /* ... and the hashes of its units */
static uint32_t head_room;

static bool read_at(int fd, void *to, size_t n, uint64_t at)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = pread(fd, (char *)to + got, n - got, (off_t)(at + got));
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        got += (size_t)r;
    }
    return true;
}

static bool has_room(uint32_t n)
{
    if (n <= head_room)
        return true;
    free(head_bytes);
    free(hashes);
    head_bytes = aligned_alloc(PAGE, (n + PAGE - 1) / PAGE * PAGE);
    hashes = malloc((n / JST_SHIP_UNIT + 1) * sizeof *hashes);
    head_room = head_bytes && hashes ? n : 0;
    return head_room > 0;
}

/* The head between two equal readings of its generation, so that its parts belong together. */
static bool read_head(int fd, uint32_t n)
{
    const off_t at = offsetof(jst_head, generation);
    uint64_t before, after;
    for (int tries = 0; tries < 4; tries++)
        if (!read_at(fd, &before, sizeof before, (uint64_t)at) || !read_at(fd, head_bytes, n, 0) ||
            !read_at(fd, &after, sizeof after, (uint64_t)at))
            return false;
        else if (before == after)
            return true;
    return false;
}

static uint64_t records_end(const jst_head *h, uint64_t size)
{
    uint64_t at = h->commit_offset + (h->generation & 1) * (uint64_t)h->commit_bytes;
    uint64_t end = 0;
    if (at + sizeof end <= h->head_bytes)
        memcpy(&end, head_bytes + at, sizeof end);
    return end >= h->head_bytes && end <= size ? end : h->head_bytes;
}

/* The epilog's line is the last one of a job's facts. */
static bool has_end_line(int fd, uint64_t size)
{
    static char text[BATCH_MOST + 1];
    if (size > BATCH_MOST || !read_at(fd, text, size, 0))
        return false;
    text[size] = 0;
    return strstr(text, "\"event\": \"end\"") || strstr(text, "\"event\":\"end\"");
}

/* Notes what was seen. Returns whether it is the same as the last time. */
static bool note_look(jst_ship_file *f, uint64_t hash)
{
    bool same = hash == f->look;
    if (!same && f->look)
        f->changed_ns = jst_ship_now();
    f->look = hash;
    return same;
}

static bool is_still(const jst_ship_file *f)
{
    return jst_ship_now() - f->changed_ns > JST_SHIP_STILL_NS;
}

static uint32_t unit_bytes(uint32_t whole, uint32_t unit)
{
    uint32_t left = whole - unit * JST_SHIP_UNIT;
    return left < JST_SHIP_UNIT ? left : JST_SHIP_UNIT;
}

static uint64_t hash_head(uint32_t n, uint64_t size)
{
    uint32_t units = (n + JST_SHIP_UNIT - 1) / JST_SHIP_UNIT;
    for (uint32_t u = 0; u < units; u++)
        hashes[u] = jst_ship_hash(head_bytes + u * JST_SHIP_UNIT, unit_bytes(n, u), 0);
    return jst_ship_hash(hashes, units * sizeof *hashes, size);
}

static bool look_at_profile(jst_ship_file *f, jst_look *to)
{
    static uint8_t page[PAGE] __attribute__((aligned(64)));
    const jst_head *h = (const jst_head *)(const void *)page;
    struct stat st;
    bool has_head = read_at(to->fd, page, PAGE, 0) && memcmp(h->magic, JST_MAGIC, 8) == 0 &&
                    h->head_bytes >= PAGE && h->head_bytes <= JST_SHIP_HEAD_MOST;
    /* Asked before its end is looked for: what it still wrote is then seen. */
    enum jst_life life = has_head ? jst_alive(h) : JST_LIFE_UNKNOWN;
    if (fstat(to->fd, &st) < 0)
        return false;
    to->size = (uint64_t)st.st_size;
    if (!has_head || h->head_bytes > to->size) {
        note_look(f, jst_ship_hash(&to->size, sizeof to->size, (uint64_t)f->mtime_ns));
        f->over = is_still(f);
        to->limit = f->over ? to->size : 0; /* one that begins has no head yet */
        return true;
    }
    uint32_t n = h->head_bytes;
    if (!has_room(n) || !read_head(to->fd, n))
        return false;
    h = (const jst_head *)(const void *)head_bytes;
    if (h->head_bytes != n)
        return false;
    to->head = head_bytes;
    to->head_bytes = n;
    bool same = note_look(f, hash_head(n, to->size));
    /* After an exec the process runs on, but not what wrote this file; an exec that failed would have
     * changed it again by the second look. */
    f->over =
        life == JST_LIFE_GONE || (h->end_ns && same) || (life == JST_LIFE_UNKNOWN && is_still(f));
    to->limit = f->over ? to->size : records_end(h, to->size);
    return true;
}

bool jst_file_look(jst_spool *s, jst_ship_file *f, jst_look *to)
{
    memset(to, 0, sizeof *to);
    to->fd = jst_spool_open_file(s, f);
    if (to->fd < 0)
        return false;
    if (f->kind == JST_KIND_PROFILE) {
        if (!look_at_profile(f, to)) {
            close(to->fd);
            return false;
        }
    } else {
        to->size = to->limit = f->size;
        note_look(f, jst_ship_hash(&to->size, sizeof to->size, (uint64_t)f->mtime_ns));
        f->over = is_still(f) || (f->kind == JST_KIND_BATCH && has_end_line(to->fd, to->size));
    }
    to->hash = f->look;
    return true;
}

void jst_look_close(jst_look *l)
{
    close(l->fd);
}

/* ---- what goes into a post ------------------------------------------------------------------ */

/* Room for the hashes of a head. Without it a head is sent when its writer is gone. */
static void make_hashes(jst_spool *s, jst_ship_file *f, uint32_t bytes)
{
    uint32_t units = (bytes + JST_SHIP_UNIT - 1) / JST_SHIP_UNIT;
    if (f->hashes && f->units == units)
        return;
    jst_spool_drop_hashes(s, f);
    uint64_t more = units * sizeof *f->hashes;
    if (s->hash_bytes + more > JST_SHIP_HASHES || f->user->hash_bytes + more > JST_SHIP_USER_HASHES)
        return;
    f->hashes = calloc(units, sizeof *f->hashes);
    if (!f->hashes)
        return;
    f->units = units;
    s->hash_bytes += more;
    f->user->hash_bytes += more;
}

/* From here on nobody knows what the receiver has of it, until it answers. */
static bool take_unit(jst_ship_file *f, jst_post *p, uint32_t unit)
{
    if (!f->hashes)
        return true;
    f->hashes[unit] = 0;
    return jst_post_hash(p, unit, hashes[unit]);
}

/* Bytes [from, limit), from the head as it was read or from the file. Returns where it stopped. */
static uint64_t append(jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most)
{
    uint64_t from = f->have, begin = from;
    while (from < l->limit) {
        uint64_t n = jst_post_room(p, f->length),
                 stop = from < l->head_bytes ? l->head_bytes : l->limit;
        if (stop > l->limit)
            stop = l->limit;
        n = n < most - (from - begin) ? n : most - (from - begin);
        if (n < stop - from)
            n -= (from + n) % JST_SHIP_UNIT < n ? (from + n) % JST_SHIP_UNIT : 0;
        else
            n = stop - from;
        if (!n)
            break;
        uint8_t *to = jst_post_open(p, f->name, f->user->uid, f->id, 0, from);
        if (from < l->head_bytes)
            memcpy(to, l->head + from, n);
        else if (!read_at(l->fd, to, n, from))
            break; /* it shrank */
        jst_post_close(p, n);
        if (from < l->head_bytes)
            for (uint64_t u = (from + JST_SHIP_UNIT - 1) / JST_SHIP_UNIT;
                 u < f->units &&
                 u * JST_SHIP_UNIT + unit_bytes(l->head_bytes, (uint32_t)u) <= from + n;
                 u++)
                if (!take_unit(f, p, (uint32_t)u))
                    return from + n;
        from += n;
    }
    return from;
}

static bool is_changed(const jst_ship_file *f, uint32_t unit)
{
    return !f->hashes || f->hashes[unit] != hashes[unit];
}

/* Bytes that the changed units take in a post, about. */
static uint64_t changed_bytes(const jst_ship_file *f, uint32_t units)
{
    uint64_t n = 0;
    for (uint32_t u = 0; u < units; u++)
        if (is_changed(f, u))
            n += JST_SHIP_UNIT + 8;
    return n ? n + (n / JST_SHIP_RANGE + 1) * (JST_SHIP_RANGE_HEAD + f->length) : 0;
}

static void put32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof value); /* little-endian, as profiles are */
}

/* One range with the changed units below *unit, from the end to the beginning. Returns false when
 * there is no room for one. */
static bool patch_range(jst_ship_file *f, const jst_look *l, jst_post *p, uint32_t *unit)
{
    size_t room = jst_post_room(p, f->length), used = 0;
    if (room < JST_SHIP_UNIT + 8)
        return false;
    uint8_t *to = jst_post_open(p, f->name, f->user->uid, f->id, JST_SHIP_PATCH, 0);
    while (*unit) {
        uint32_t last = *unit - 1, first;
        if (!is_changed(f, last)) {
            --*unit;
            continue;
        }
        if (room - used < JST_SHIP_UNIT + 8)
            break;
        uint32_t most = (uint32_t)((room - used - 8) / JST_SHIP_UNIT);
        for (first = last; first && last - first + 1 < most && is_changed(f, first - 1);)
            first--;
        uint32_t at = first * JST_SHIP_UNIT,
                 n = last * JST_SHIP_UNIT + unit_bytes(l->head_bytes, last) - at;
        bool noted = true;
        for (uint32_t u = first; u <= last; u++)
            noted = noted && take_unit(f, p, u);
        if (!noted)
            break;
        put32(to + used, at);
        put32(to + used + 4, n);
        memcpy(to + used + 8, l->head + at, n);
        used += n + 8;
        *unit = first;
    }
    if (used)
        jst_post_close(p, used);
    return used > 0;
}

/* What changed in that part of the head which the receiver has. Returns whether all of it fits. */
static bool patch(jst_ship_file *f, const jst_look *l, jst_post *p, bool alone)
{
    uint64_t end = f->have < l->head_bytes ? f->have : l->head_bytes;
    uint32_t units = (uint32_t)((end + JST_SHIP_UNIT - 1) / JST_SHIP_UNIT);
    if (end < l->head_bytes && end % JST_SHIP_UNIT) /* the rest of this unit is not there yet */
        units--;
    if (!f->hashes && !f->over)
        return true;
    uint64_t n = changed_bytes(f, units);
    if (!n)
        return true;
    if (!alone && p->size + n > p->room)
        return false; /* a head belongs together: in the next post */
    while (changed_bytes(f, units))
        if (!patch_range(f, l, p, &units))
            return false;
    return true;
}

void jst_file_emit(jst_spool *s, jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most)
{
    if (p->sent_count >= JST_SHIP_RANGES || p->ranges + 8 >= JST_SHIP_RANGES ||
        jst_post_room(p, f->length) < 1024)
        return;
    jst_sent sent = {.file = f, .end = f->have, .hash_from = p->hash_count};
    uint32_t before = p->ranges;
    if (!f->known) {
        jst_post_open(p, f->name, f->user->uid, f->id, 0, 0);
        jst_post_close(p, 0);
        sent.asked = true;
    } else {
        if (l->head_bytes && !f->done)
            make_hashes(s, f, l->head_bytes);
        if (l->size < f->have)
            jst_ship_say(JST_TOPIC_CHANGED, "%s of user %u became shorter: what was sent stays",
                         f->name, f->user->uid);
        sent.end = f->have > l->limit ? f->have : append(f, l, p, most);
        sent.all = sent.end >= l->limit && patch(f, l, p, p->sent_count == 0);
        if (sent.all && f->over && jst_post_room(p, f->length)) {
            jst_post_open(p, f->name, f->user->uid, f->id, JST_SHIP_OVER, sent.end);
            jst_post_close(p, 0);
            sent.over = true;
            f->over_look = l->hash;
        } else if (f->over) {
            sent.all = false;
        }
    }
    sent.hash_to = p->hash_count;
    if (p->ranges > before)
        p->sent[p->sent_count++] = sent;
    else if (sent.all)
        f->todo = false;
}

/* ---- what the receiver says to it ------------------------------------------------------------- */

/* Removes a file of which the receiver has everything: if it is still what was sent. */
static void finish(jst_spool *s, jst_ship_file *f)
{
    jst_look l;
    f->done = true;
    f->todo = false;
    if (!jst_file_look(s, f, &l)) {
        f->done = false; /* later */
        return;
    }
    jst_look_close(&l);
    bool same = f->over_look ? l.hash == f->over_look : l.size == f->have;
    if (!f->over) {
        f->done = false; /* the receiver thinks so; its end comes */
    } else if (!same) {
        f->kept = true;
        jst_ship_say(JST_TOPIC_CHANGED,
                     "%s of user %u was written to after its end: it is not removed", f->name,
                     f->user->uid);
    } else {
        f->kept = true;
        if (!jst_spool_remove(s, f))
            jst_ship_say(
                JST_TOPIC_REMOVE,
                "files that were sent cannot be removed from the spool: %s. Mend: the spool's "
                "folder must belong to the user of jostle-ship",
                strerror(errno));
    }
}

static void get_on(jst_ship_file *f, bool on)
{
    f->stuck = on ? 0 : (uint8_t)(f->stuck + 1);
    if (f->stuck < 3)
        return;
    f->stuck = 0;
    f->wait_ns = jst_ship_now() + 60 * JST_NS;
    jst_ship_say(JST_TOPIC_FILES,
                 "the receiver does not store %s of user %u: tried again each minute", f->name,
                 f->user->uid);
}

void jst_file_acknowledge(jst_spool *s, const jst_post *p, const jst_sent *sent,
                          const jst_answer_file *answer)
{
    jst_ship_file *f = sent->file;
    if (!answer) {
        get_on(f, false);
        return;
    }
    uint64_t had = f->have;
    if (answer->have < had) {
        jst_ship_say(JST_TOPIC_CHANGED,
                     "the receiver has less of %s than it said before: the rest "
                     "is sent again",
                     f->name);
        jst_spool_drop_hashes(s, f);
    }
    bool stored = answer->have == sent->end;
    f->have = answer->have;
    f->known = true;
    get_on(f, sent->asked || stored || f->have > had);
    if (stored && f->hashes)
        for (uint32_t i = sent->hash_from; i < sent->hash_to; i++)
            f->hashes[p->hashes[i].unit] = p->hashes[i].hash;
    if (answer->done && (sent->over || sent->asked))
        finish(s, f);
    else if (stored && sent->all)
        f->todo = false;
}
