/* file.c: the profile of this machine: a mapped header, appended records, commits.
 *
 * The method is that of processes' profiles (runtime/src/profile/records/slice.c): records are written
 * after the end, then one store makes the commit that names their end the valid one. A kill at any
 * instant leaves a whole file. Increases that a full disk refuses are kept, so that a later record
 * spans the slices.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "config.h"
#include "file.h"
#include "profile/area.h"
#include "profile/records/clock_record.h"
#include "profile/records/record.h"
#include "profile/spool.h"
#include "sys.h"
#include "text.h"

/* The first page and the commits are mapped; the table follows them. */
#define MAPPED 16384u
#define HEAD_BYTES (MAPPED + JST_PAGE)
_Static_assert(offsetof(jst_area, blocks) <= MAPPED, "the commits are mapped");
_Static_assert(JST_COMPONENT_TABLE_BYTES <= JST_PAGE, "the table has a page");

/* Space: at most 10 MB a day at 4 s slices: a burst, and so much for each slice. */
#define SPACE_BURST (1024 * 1024)
#define SPACE_PER_SLICE 412
#define DAY_NS UINT64_C(86400000000000)
#define LOCK_NAME "machine.lock"

jst_area jst_a;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static int fd = -1;
static uint32_t files, numbers; /* files made so far; components that have a number in this one */
static uint64_t start_ns, expected; /* expected: end of the newest record, a slice */
static uint64_t day_slice,
    day_bytes; /* first slice of this day; bytes of earlier parts of the day */
static char name[64];
static uint8_t frame[JST_PAYLOAD_MAX + 4096];

static jst_commit *valid_commit(void)
{
    return &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
}

/* ---- making it ---- */

/* In a spool that users share any user may have made a file with the lock's name: only ours is
 * used. */
int jst_spool_take(void)
{
    struct stat st;
    int dir = jst_spool_open(), lock = -1;
    if (dir < 0)
        return dir;
    for (int tries = 0; tries < 2 && lock < 0; tries++) {
        lock = jst_openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                          0600);
        bool ours = lock >= 0 && jst_fstat(lock, &st) == 0 && S_ISREG(st.st_mode) &&
                    st.st_uid == geteuid() && st.st_nlink == 1;
        if (!ours) {
            if (lock >= 0)
                jst_close(lock);
            lock = unlinkat(dir, LOCK_NAME, 0) == 0 ? -EEXIST : -errno;
        }
    }
    jst_close(dir);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        int error = -errno;
        jst_close(lock);
        return error;
    }
    return lock;
}

/* No other user of a shared spool can predict it, and make a file there. */
static void name_by(uint64_t ns)
{
    const char *end = name + sizeof name;
    const uint8_t *boot = jst_boot_id();
    char *p = jst_put_text(name, end, "machine.");
    for (unsigned i = 0; i < 8; i++)
        *p++ = "0123456789abcdef"[boot[i / 2] >> (i % 2 ? 0 : 4) & 15];
    p = jst_put_text(p, end, ".");
    p = jst_put_number(p, end, ns);
    jst_put_text(p, end, ".jsm");
}

static void fill_layout(jst_head *h)
{
    memcpy(h->magic, JST_MAGIC, sizeof h->magic);
    h->version = 1; /* without 'L' records there is no other */
    h->head_bytes = HEAD_BYTES;
    h->cell_count = JST_COMPONENT_METRICS;
    h->block_offset = MAPPED;
    h->block_bytes = offsetof(jst_block, cells) + 8 * JST_COMPONENT_METRICS;
    h->table_offset = MAPPED;
    h->table_bytes = JST_COMPONENT_TABLE_BYTES;
    h->table_crc = JST_COMPONENT_TABLE_CRC;
    h->commit_offset = offsetof(jst_area, commit);
    h->commit_bytes = sizeof(jst_commit);
    h->flags = 1;
}

static void fill_head(jst_head *h, uint32_t part, enum jst_machine_role role)
{
    struct stat ns;
    struct utsname uts;
    fill_layout(h);
    h->slice_ns = jst_cfg.slice_ns;
    h->start_ns = start_ns;
    h->file_ns = jst_clock_ns(CLOCK_REALTIME);
    h->first_slice = (part ? h->file_ns : h->start_ns) / h->slice_ns;
    h->pid = (uint32_t)getpid();
    h->ppid = (uint32_t)getppid();
    h->uid = getuid();
    h->gid = getgid();
    h->sid = (uint32_t)getsid(0);
    h->part = part;
    h->proc_start = jst_process_start();
    h->role = role;
    memcpy(h->boot_id, jst_boot_id(), 16);
    if (stat("/proc/self/ns/pid", &ns) == 0)
        h->pid_namespace = ns.st_ino;
    jst_put_text(h->library, h->library + sizeof h->library, JST_VERSION);
    if (uname(&uts) == 0)
        jst_put_text(h->host, h->host + sizeof h->host, uts.nodename);
    if (readlink("/proc/self/exe", h->program, sizeof h->program - 1) <= 0)
        jst_put_text(h->program, h->program + sizeof h->program, "jostle-agent");
    jst_clock_state(&h->start_clock_state, &h->start_clock_error_us);
    h->clock_state = h->start_clock_state;
    h->clock_error_us = h->start_clock_error_us;
    h->tick_ns = UINT64_C(1) << 32;
    h->heartbeat_ns = h->file_ns;
}

/* Makes the file that `name` names. */
static int create_in(int dir)
{
    int fresh = jst_openat(dir, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fresh < 0)
        return fresh;
    int r = jst_head_allocate(fresh, HEAD_BYTES);
    if (r == 0)
        return fresh;
    unlinkat(dir, name, 0);
    jst_close(fresh);
    return r;
}

static int write_at(int to, const void *from, size_t n, uint64_t at)
{
    long r = jst_pwrite(to, from, n, at);
    return r == (long)n ? 0 : r < 0 ? (int)r : -ENOSPC;
}

/* The file becomes the one that is mapped. */
static int take(int fresh)
{
    if (jst_mmap_fixed(&jst_a, MAPPED, MAP_SHARED, fresh) != (long)&jst_a)
        return -ENOMEM;
    if (fd >= 0)
        jst_close(fd);
    fd = fresh;
    return 0;
}

static void end_with(enum jst_end_reason reason, uint64_t now_ns)
{
    jst_a.head.end_reason = reason;
    jst_a.head.end_ns = now_ns;
}

int jst_file_begin(enum jst_machine_role role)
{
    static struct {
        jst_head head;
        jst_commit commit;
    } next;
    uint32_t part = files;
    uint64_t before = part ? valid_commit()->records_end : 0, day = jst_a.head.file_ns / DAY_NS;
    if (part == 0)
        start_ns = jst_clock_ns(CLOCK_REALTIME);
    name_by(jst_clock_ns(CLOCK_REALTIME));
    int dir = jst_spool_open();
    int fresh = dir < 0 ? dir : create_in(dir);
    if (fresh < 0) {
        if (dir >= 0)
            jst_close(dir);
        return fresh;
    }
    memset(&next, 0, sizeof next);
    fill_head(&next.head, part, role);
    next.commit.records_end = HEAD_BYTES;
    next.commit.open_slice = next.head.first_slice;
    int r = write_at(fresh, &next, sizeof next, 0);
    if (r == 0)
        r = write_at(fresh, jst_component_table, JST_COMPONENT_TABLE_BYTES, MAPPED);
    if (r == 0 && part)
        end_with(JST_END_CONTINUED, next.head.file_ns);
    if (r == 0)
        r = take(fresh);
    if (r < 0) {
        unlinkat(dir, name, 0);
        jst_close(fresh);
    } else {
        files++;
        numbers = 0;
        expected = next.head.first_slice;
        bool same_day = part && day == next.head.file_ns / DAY_NS;
        day_slice = same_day ? day_slice : expected;
        day_bytes = same_day ? day_bytes + before : 0;
        jst_clock_record_begin(next.head.file_ns);
    }
    jst_close(dir);
    return r;
}

/* It was removed: all of it is written again, under its name where that is free, so that nothing is
 * lost. */
static int begin_again(void)
{
    int dir = jst_spool_open();
    int fresh = dir < 0 ? dir : create_in(dir);
    if (fresh == -EEXIST) {
        name_by(jst_clock_ns(CLOCK_REALTIME));
        fresh = create_in(dir);
    }
    int r = fresh < 0 ? fresh : 0;
    uint64_t end = valid_commit()->records_end;
    for (uint64_t at = 0; r == 0 && at < end;) {
        long n = jst_pread(fd, frame, end - at < sizeof frame ? end - at : sizeof frame, at);
        r = n <= 0 ? -EIO : write_at(fresh, frame, (size_t)n, at);
        at += n > 0 ? (uint64_t)n : 0;
    }
    if (r == 0)
        r = take(fresh);
    if (r < 0 && fresh >= 0) {
        unlinkat(dir, name, 0);
        jst_close(fresh);
    }
    if (dir >= 0)
        jst_close(dir);
    return r;
}

/* ---- while it lives ---- */

static void commit(uint64_t records_end, uint64_t open_slice)
{
    uint64_t generation = atomic_load(&jst_a.head.generation);
    jst_commit *next = &jst_a.commit[(generation + 1) & 1];
    next->records_end = records_end;
    next->open_slice = open_slice;
    atomic_store_explicit(&jst_a.head.generation, generation + 1, memory_order_release);
}

void jst_file_slice(uint64_t open_slice)
{
    commit(valid_commit()->records_end, open_slice);
}

bool jst_file_is_of_yesterday(uint64_t now_ns)
{
    return now_ns / DAY_NS > jst_a.head.file_ns / DAY_NS;
}

unsigned jst_file_room(void)
{
    return numbers < JST_FILE_COMPONENTS ? JST_FILE_COMPONENTS - numbers : 0;
}

uint64_t jst_file_space(uint64_t slice)
{
    uint64_t used = day_bytes + valid_commit()->records_end;
    uint64_t slices = slice > day_slice ? slice - day_slice : 0;
    uint64_t may = SPACE_BURST + SPACE_PER_SLICE * slices;
    return may > used ? may - used : 0;
}

void jst_file_look(uint64_t now_ns, enum jst_machine_role role)
{
    struct stat st;
    if (jst_fstat(fd, &st) == 0 && st.st_nlink == 0 && begin_again() == 0)
        jst_file_note(now_ns, "the profile was removed from the spool; it was written again");
    jst_a.head.role = role;
    jst_a.head.heartbeat_ns = now_ns;
}

void jst_file_clock(uint64_t now_ns)
{
    jst_clock_record_check(fd, now_ns);
}

void jst_file_note(uint64_t now_ns, const char *text)
{
    jst_note(fd, now_ns, text);
}

void jst_file_end(uint64_t now_ns)
{
    jst_a.head.heartbeat_ns = now_ns;
    end_with(JST_END_EXIT, now_ns);
}

/* ---- records ---- */

/* A component's first values in this file: its name comes before them. */
static int name_component(jst_component *c)
{
    const char *const texts[4] = {c->names.name, c->names.source, c->names.job, c->names.path};
    const uint32_t facts[4] = {numbers, c->names.kind, c->names.major, c->names.minor};
    uint8_t *p = frame + JST_FRAME_GAP;
    for (unsigned i = 0; i < 4; i++)
        p = jst_put_varint(p, facts[i]);
    for (unsigned i = 0; i < 4; i++) {
        size_t n = strlen(texts[i]);
        p = jst_put_string(p, texts[i], n < JST_PAGE ? n : JST_PAGE);
    }
    p = jst_put_varint(p, c->names.numa);
    if (c->names.kind == JST_KIND_PROCESS) {
        p = jst_put_varint(p, c->names.pid);
        p = jst_put_varint(p, c->names.uid);
    }
    if (!jst_append(fd, JST_RECORD_COMPONENT, frame, (size_t)(p - frame) - JST_FRAME_GAP))
        return -ENOSPC;
    c->file = files;
    c->number = numbers++;
    return 0;
}

/* Does a metric have something to write? */
static bool is_written(const jst_component *c, unsigned m)
{
    jst_metrics bit = JST_METRIC(m);
    if (!(c->has & bit))
        return false;
    if (c->unknown & bit)
        return true;
    uint64_t gained = jst_value_of(c, m)->gained;
    if (jst_component_code[m] == 'G')
        return gained && (c->levels & bit);
    return jst_component_code[m] == 'T' ? gained >= JST_NS_LEAST : gained != 0;
}

static uint8_t *put_component(uint8_t *p, const jst_component *c, uint32_t after)
{
    uint64_t cell = 0, n = 0;
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++)
        n += is_written(c, m);
    p = jst_put_varint(p, c->number - after);
    p = jst_put_varint(p, 2 * n + c->epoch);
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        if (!is_written(c, m))
            continue;
        bool unknown = c->unknown & JST_METRIC(m);
        uint64_t gained = jst_value_of(c, m)->gained;
        p = jst_put_varint(p, 2 * (m - cell) + unknown);
        cell = m + 1;
        if (unknown)
            continue;
        if (jst_component_code[m] == 'T') {
            uint16_t code = jst_short_ns(gained);
            *p++ = (uint8_t)code;
            *p++ = (uint8_t)(code >> 8);
        } else {
            p = jst_put_varint(p, gained);
        }
    }
    return p;
}

/* A record has it: the remainder of rounded times is kept. */
static void settle(jst_component *c)
{
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        if (!(c->has & JST_METRIC(m)) || jst_component_code[m] == 'G')
            continue;
        jst_value *v = jst_value_of(c, m);
        bool time = jst_component_code[m] == 'T' && !(c->unknown & JST_METRIC(m));
        if (!time)
            v->gained = 0;
        else if (is_written(c, m))
            v->gained -= jst_short_ns_value(jst_short_ns(v->gained));
    }
    c->unknown = 0;
    c->epoch = false;
    c->first = 0;
}

static int by_number(const void *a, const void *b)
{
    const jst_component *x = *(jst_component *const *)a, *y = *(jst_component *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

int jst_file_write(jst_component **components, unsigned n, uint64_t first, uint64_t end,
                   uint64_t *bytes)
{
    int r = 0;
    uint64_t begin = valid_commit()->records_end;
    for (unsigned i = 0; i < n && r == 0; i++)
        if (components[i]->file != files)
            r = name_component(components[i]);
    qsort(components, n, sizeof(jst_component *), by_number);
    for (unsigned from = 0, to; from < n && r == 0; from = to) {
        /* The number of components is before them, always in three bytes. */
        uint8_t *p = jst_put_svarint(frame + JST_FRAME_GAP, (int64_t)(first - expected));
        uint8_t *counted = p = jst_put_varint(p, end - first);
        p += 3;
        uint32_t after = 0;
        for (to = from; to < n && p - frame < JST_PAYLOAD_MAX - 1024; to++) {
            p = put_component(p, components[to], after);
            after = components[to]->number + 1;
        }
        for (unsigned i = 0; i < 3; i++)
            counted[i] = (uint8_t)((to - from) >> 7 * i & 0x7f) | (i < 2 ? 0x80 : 0);
        size_t size;
        uint8_t *start = jst_frame(frame, JST_RECORD_COMPONENT_SLICES,
                                   (size_t)(p - frame) - JST_FRAME_GAP, &size);
        uint64_t at = valid_commit()->records_end;
        r = write_at(fd, start, size, at);
        if (r < 0)
            break;
        commit(at + size, end);
        expected = end;
        for (unsigned i = from; i < to; i++)
            settle(components[i]);
    }
    *bytes = valid_commit()->records_end - begin;
    return r;
}
