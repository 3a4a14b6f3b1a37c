/* file.c: reads files of the spool and finds whether their writers are gone. Of the content that
 * users wrote, only the fields at fixed offsets of a header are read. */
#include "spool/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/alive.h"

#define PAGE 4096u
#define BATCH_MOST (256u << 10) /* as in src/jostle/repository/ingest/batch_facts.py */
#define WAIT_FOR_ROOM_NS (300 * JST_NS)

/* The units of a header whose changes are found by their hashes. Those of the fixed fields and of
 * the commits come first, since they change with each slice; then the pages of all that follows. */
typedef struct layout {
    uint32_t head_bytes;
    uint32_t commit_at, commits; /* the commits: index of the first unit, number of units */
    uint32_t pages;
} layout;

#define HEADER_UNITS (PAGE / JST_SHIP_UNIT)
#define COMMITS_MOST (64u << 10)

static uint8_t *head;    /* the header that is read ... */
static uint64_t *hashes; /* ... and the hashes of its units */
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

static layout layout_of(const jst_head *h)
{
    layout l = {.head_bytes = h->head_bytes, .pages = (h->head_bytes + PAGE - 1) / PAGE - 1};
    uint64_t end = h->commit_offset + 2 * (uint64_t)h->commit_bytes;
    if (h->commit_offset >= PAGE && end <= h->head_bytes &&
        end - h->commit_offset <= COMMITS_MOST) {
        l.commit_at = h->commit_offset / JST_SHIP_UNIT * JST_SHIP_UNIT;
        l.commits = ((uint32_t)end - l.commit_at + JST_SHIP_UNIT - 1) / JST_SHIP_UNIT;
    }
    return l;
}

/* Units that change with each slice, and all units. */
static uint32_t live_units(const layout *l)
{
    return HEADER_UNITS + l->commits;
}

static uint32_t all_units(const layout *l)
{
    return live_units(l) + l->pages;
}

/* The offset of a unit. Returns its length. */
static uint32_t place_of(const layout *l, uint32_t unit, uint32_t *at)
{
    uint32_t n = JST_SHIP_UNIT;
    if (unit < HEADER_UNITS)
        *at = unit * JST_SHIP_UNIT;
    else if (unit < live_units(l))
        *at = l->commit_at + (unit - HEADER_UNITS) * JST_SHIP_UNIT;
    else {
        *at = (unit - live_units(l) + 1) * PAGE;
        n = PAGE;
    }
    return l->head_bytes - *at < n ? l->head_bytes - *at : n;
}

static bool has_room(const layout *l)
{
    if (l->head_bytes <= head_room)
        return true;
    free(head);
    free(hashes);
    uint32_t pages = l->pages + 1;
    head = aligned_alloc(PAGE, (size_t)pages * PAGE);
    hashes = malloc((pages + HEADER_UNITS + COMMITS_MOST / JST_SHIP_UNIT + 2) * sizeof *hashes);
    head_room = head && hashes ? l->head_bytes : 0;
    return head_room > 0;
}

static bool read_parts(int fd, const layout *l, bool whole)
{
    if (whole)
        return read_at(fd, head, l->head_bytes, 0);
    uint32_t n = l->commits * JST_SHIP_UNIT;
    if (n > l->head_bytes - l->commit_at)
        n = l->head_bytes - l->commit_at;
    return read_at(fd, head, PAGE, 0) &&
           (!l->commits || read_at(fd, head + l->commit_at, n, l->commit_at));
}

/* Reads the header, or the parts that change with each slice, between two equal readings of its
 * generation: so its parts are consistent. */
static bool read_head(int fd, const layout *l, bool whole)
{
    const uint64_t at = offsetof(jst_head, generation);
    uint64_t before, after;
    for (int tries = 0; tries < 4; tries++)
        if (!read_at(fd, &before, sizeof before, at) || !read_parts(fd, l, whole) ||
            !read_at(fd, &after, sizeof after, at))
            return false;
        else if (before == after)
            return true;
    return false;
}

static uint64_t hash_units(const layout *l, uint32_t units, uint64_t size)
{
    for (uint32_t u = 0; u < units; u++) {
        uint32_t at, n = place_of(l, u, &at);
        hashes[u] = jst_ship_hash(head + at, n, 0);
    }
    return jst_ship_hash(hashes, units * sizeof *hashes, size);
}

static uint64_t records_end(const jst_head *h, uint64_t size)
{
    uint64_t at = h->commit_offset + (h->generation & 1) * (uint64_t)h->commit_bytes;
    uint64_t end = 0;
    layout l = layout_of(h);
    if (l.commits)
        memcpy(&end, head + at, sizeof end);
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

/* Stores what was read. Returns whether it is the same as the last time. */
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

static const jst_head *head_of(void)
{
    return (const jst_head *)(const void *)head;
}

static bool look_at_head(jst_ship_file *f, jst_look *to, const jst_head *page)
{
    layout l = layout_of(page);
    /* Checked before its end is searched: its last writes are then seen. */
    enum jst_life life = jst_alive(page);
    struct stat st;
    if (fstat(to->fd, &st) < 0 || !has_room(&l) || !read_head(to->fd, &l, false))
        return false;
    const jst_head *h = head_of();
    layout again = layout_of(h);
    if (memcmp(&again, &l, sizeof l) != 0)
        return false;
    to->size = (uint64_t)st.st_size;
    bool same = note_look(f, hash_units(&l, live_units(&l), to->size));
    /* After an exec the process continues, but not the program that wrote this file; after a failed
     * exec it would have changed again by the second check. */
    f->over =
        life == JST_LIFE_GONE || (h->end_ns && same) || (life == JST_LIFE_UNKNOWN && is_still(f));
    to->hash = f->look;
    to->units = live_units(&l);
    if (f->over || f->have < l.head_bytes) {
        if (!read_head(to->fd, &l, true))
            return false;
        again = layout_of(h);
        if (memcmp(&again, &l, sizeof l) != 0)
            return false;
        to->units = all_units(&l);
        to->hash = hash_units(&l, to->units, to->size);
    }
    to->head_bytes = l.head_bytes;
    to->limit = f->over ? to->size : records_end(h, to->size);
    return true;
}

static bool look_at_profile(jst_ship_file *f, jst_look *to)
{
    static uint8_t page[PAGE] __attribute__((aligned(128)));
    const jst_head *h = (const jst_head *)(const void *)page;
    to->size = f->size;
    if (read_at(to->fd, page, PAGE, 0) && memcmp(h->magic, JST_MAGIC, 8) == 0 &&
        h->head_bytes >= PAGE && h->head_bytes <= JST_SHIP_HEAD_MOST && h->head_bytes <= to->size)
        return look_at_head(f, to, h);
    note_look(f, jst_ship_hash(&to->size, sizeof to->size, (uint64_t)f->mtime_ns));
    f->over = is_still(f);
    to->limit = f->over ? to->size : 0; /* one that begins has no header yet */
    to->hash = f->look;
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

/* ---- filling a post ------------------------------------------------------------------ */

static uint32_t units_of_head(void)
{
    layout l = layout_of(head_of());
    return all_units(&l);
}

/* Memory for the hashes of a header. Without it the whole header is sent when its writer is
 * gone. */
static void make_hashes(jst_spool *s, jst_ship_file *f, uint32_t units)
{
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

/* Records the units that a range contains. If its answer gets lost, it is not known what the
 * receiver has of them; the same applies to a unit of which it contains a part. */
static void take_units(jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t from, uint64_t to)
{
    layout lay = layout_of(head_of());
    for (uint32_t u = 0; f->hashes && u < l->units; u++) {
        uint32_t at, n = place_of(&lay, u, &at);
        if (at >= to || at + n <= from)
            continue;
        bool whole = at >= from && at + n <= to && jst_post_unit(p, u);
        f->hashes[u] = whole ? hashes[u] : 0;
    }
}

/* Copies bytes [from, limit), from the header as it was read or from the file. Returns where it
 * stopped. */
static uint64_t append(jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most)
{
    uint64_t from = f->have, begin = from;
    while (from < l->limit) {
        uint64_t stop = from < l->head_bytes && l->head_bytes < l->limit ? l->head_bytes : l->limit;
        uint64_t n = jst_post_room(p, f->length);
        n = n < most - (from - begin) ? n : most - (from - begin);
        n = n < stop - from ? n : stop - from;
        if (!n)
            break;
        uint8_t *to = jst_post_open(p, f->name, f->user->uid, f->id, 0, from);
        if (from < l->head_bytes)
            memcpy(to, head + from, n);
        else if (!read_at(l->fd, to, n, from))
            break; /* it shrank */
        jst_post_close(p, n);
        if (from < l->head_bytes)
            take_units(f, l, p, from, from + n);
        from += n;
    }
    return from;
}

/* The last run of changed bytes in units below *unit and in bytes below `have`. Small gaps belong to it:
 * they cost less than a range. Returns its length, 0: there is none. */
static uint32_t last_run(const jst_ship_file *f, uint32_t *unit, uint32_t *at)
{
    enum { GAP = 512 };
    layout lay = layout_of(head_of());
    uint32_t run = 0, place;
    while (*unit) {
        uint32_t n = place_of(&lay, *unit - 1, &place);
        bool in_reach = run && place + n <= *at && *at - (place + n) < GAP;
        if (run && (!in_reach || run + GAP + n > JST_SHIP_RANGE))
            break;
        --*unit;
        if (place + n > f->have || (f->hashes && f->hashes[*unit] == hashes[*unit])) {
            if (run && *at - place >= GAP)
                break;
            continue;
        }
        run = run ? *at + run - place : n;
        *at = place;
    }
    return run;
}

/* Adds what changed in that part of the header which the receiver has, from the end to the
 * beginning. Returns whether all of it fits. */
static bool change(jst_ship_file *f, const jst_look *l, jst_post *p, bool alone)
{
    uint64_t sum = 0;
    uint32_t at = 0, n;
    if (!l->head_bytes || (!f->hashes && !f->over))
        return true;
    for (uint32_t unit = l->units; (n = last_run(f, &unit, &at));)
        sum += n + JST_SHIP_RANGE_HEAD + f->length;
    if (!alone && p->size + sum + 1024 > p->room)
        return false; /* a header must be consistent: in the next post */
    for (uint32_t unit = l->units; (n = last_run(f, &unit, &at));) {
        if (jst_post_room(p, f->length) < n)
            return false;
        memcpy(jst_post_open(p, f->name, f->user->uid, f->id, 0, at), head + at, n);
        jst_post_close(p, n);
        take_units(f, l, p, at, at + n);
    }
    return true;
}

void jst_file_emit(jst_spool *s, jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most)
{
    if (p->sent_count >= JST_SHIP_RANGES || p->ranges + 8 >= JST_SHIP_RANGES ||
        jst_post_room(p, f->length) < 1024)
        return;
    jst_sent sent = {.file = f, .end = f->have, .unit_from = p->unit_count};
    uint32_t before = p->ranges;
    if (!f->known) {
        jst_post_open(p, f->name, f->user->uid, f->id, 0, 0);
        jst_post_close(p, 0);
        sent.asked = true;
    } else {
        if (l->head_bytes && !f->done)
            make_hashes(s, f, units_of_head());
        if (l->size < f->have)
            jst_ship_say(JST_TOPIC_CHANGED, "%s of user %u became shorter: the sent part stays",
                         f->name, f->user->uid);
        sent.end = f->have > l->limit ? f->have : append(f, l, p, most);
        sent.all = sent.end >= l->limit && change(f, l, p, p->sent_count == 0);
        if (sent.all && f->over && jst_post_room(p, f->length)) {
            jst_post_open(p, f->name, f->user->uid, f->id, JST_SHIP_OVER, sent.end);
            jst_post_close(p, 0);
            sent.over = true;
            f->over_look = l->hash;
        } else if (f->over) {
            sent.all = false;
        }
    }
    sent.unit_to = p->unit_count;
    if (p->ranges > before)
        p->sent[p->sent_count++] = sent;
    else if (sent.all)
        f->todo = false;
}

/* ---- the receiver's answer ------------------------------------------------------------- */

/* Removes a file of which the receiver has everything: if it is still as it was sent. */
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
        f->done = false; /* the receiver assumes so; its end follows */
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
                "files that were sent cannot be removed from the spool: %s. Fix: the spool's "
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

void jst_file_lost(const jst_post *p, const jst_sent *sent)
{
    jst_ship_file *f = sent->file;
    for (uint32_t i = sent->unit_from; f->hashes && i < sent->unit_to; i++)
        f->hashes[p->units[i]] = 0;
}

void jst_file_acknowledge(jst_spool *s, const jst_post *p, const jst_sent *sent,
                          const jst_answer_file *answer)
{
    jst_ship_file *f = sent->file;
    if (!answer) {
        jst_file_lost(p, sent);
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
    bool stored = answer->have == sent->end && !*answer->why;
    f->have = answer->have;
    f->known = true;
    if (strcmp(answer->why, "quota") == 0 || strcmp(answer->why, "files") == 0 ||
        strcmp(answer->why, "size") == 0) {
        f->wait_ns = jst_ship_now() + WAIT_FOR_ROOM_NS;
        jst_ship_say(JST_TOPIC_FILES, "the receiver takes no more of user %u's files for now (%s)",
                     f->user->uid, answer->why);
    }
    get_on(f, sent->asked || stored || f->have > had);
    if (!stored)
        jst_file_lost(p, sent);
    if (answer->done && (sent->over || sent->asked))
        finish(s, f);
    else if (stored && sent->all)
        f->todo = false;
}
