/* children.c: records CPU time and bytes of descendants that leave no profile of their own.
 *
 * RATIONALE: a process that only computes makes no wrapped call, and so never gets to start a profile;
 * where it is killed nothing of it would be known, and programs that are linked statically cannot be
 * preloaded at all. A thread in each process could do it, but costs 50 us per start and, on an
 * oversubscribed node, milliseconds per end (ADR 0006). So the existing heartbeats read /proc for
 * the children of their processes, once a second, and write a file for each that is a profile with
 * another suffix (*.jsp). Readers skip it where the process left one of its own.
 */
#include <errno.h>
#include <sys/resource.h>

#include "block.h"
#include "children.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "heartbeat.h"
#include "modules/modules.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "profile/profile_layout.h"
#include "profile/spool.h"
#include "sys.h"
#include "text.h"

#define CHILDREN 64
#define DEPTH 8
#define BUDGET 128 /* processes checked at once */
#define TICK_NS                                                                                    \
    10000000ull        /* /proc counts in hundredths of a second, whatever the kernel's own clock */
#define LEAST_TICKS 10 /* CPU time after which a child gets a file */
#define LEAST_CHARS (1024 * 1024) /* or so many bytes read and written */
#define SLACK_NS 50000000ull

enum { USER, SYSTEM, READ_CHARS, WRITE_CHARS, READ_BYTES, WRITE_BYTES, PARTS };
enum { CPU_PARTS = READ_CHARS }; /* those that the kernel reports of ended children */
enum { UNDECIDED = -1, NONE = -2 };

typedef struct child {
    uint32_t pid; /* 0: this place is free */
    int fd;
    uint64_t proc_start, threads, looked_ns;
    uint64_t generation, records_end, open_slice, expected;
    uint64_t now[PARTS], base[PARTS];
    bool seen;
} child;

typedef struct facts {
    uint32_t pid, ppid, sid;
    uint64_t proc_start, threads, used[PARTS];
    char name[64]; /* as in the kernel */
} facts;

static const unsigned cells[PARTS] = {JST_CELL_OS_USER_NS,    JST_CELL_OS_SYSTEM_NS,
                                      JST_CELL_OS_READ_CHARS, JST_CELL_OS_WRITE_CHARS,
                                      JST_CELL_OS_READ_BYTES, JST_CELL_OS_WRITE_BYTES};
JST_LARGE static child children[CHILDREN];
static uint64_t reaped[CPU_PARTS];
static unsigned budget;
static unsigned places; /* of children that are taken */
static int own_fd = -1; /* the list of this process's children; opening it costs five times as much
                          * as reading it */

#define COMMIT_AT JST_PAGE
#define TABLE_AT (COMMIT_AT + 2 * (uint32_t)sizeof(jst_commit))
#define BLOCK_AT (TABLE_AT + JST_TABLE_BYTES)
#define HEAD_BYTES (BLOCK_AT + (uint32_t)sizeof(jst_block))

/* /proc/PID and what follows. */
static void proc_path(char path[64], uint32_t pid, const char *rest)
{
    const char *end = path + 64;
    jst_put_text(jst_put_number(jst_put_text(path, end, "/proc/"), end, pid), end, rest);
}

/* ---- its file ---- */

static void put(const child *c, const void *from, size_t n, uint64_t at)
{
    jst_pwrite(c->fd, from, n, at);
}

static bool append(child *c, uint8_t type, uint8_t *frame, size_t n)
{
    size_t size;
    uint8_t *start = jst_frame(frame, type, n, &size);
    if (jst_pwrite(c->fd, start, size, c->records_end) != (long)size)
        return false;
    c->records_end += size;
    return true;
}

static void commit(child *c)
{
    uint64_t at = COMMIT_AT + (++c->generation & 1) * sizeof(jst_commit);
    const uint64_t where[2] = {c->records_end, c->open_slice};
    put(c, where, sizeof where, at + offsetof(jst_commit, records_end));
    for (int i = 0; i < PARTS; i++)
        put(c, &c->base[i], 8, at + offsetof(jst_commit, base) + 8 * cells[i]);
    put(c, &c->generation, 8, offsetof(jst_head, generation));
}

static void write_slice(child *c, uint64_t slice)
{
    JST_SCRATCH static uint64_t delta[JST_CELL_COUNT], taken[JST_CELL_COUNT];
    JST_SCRATCH static uint8_t frame[JST_RECORD_MAX + JST_FRAME_GAP + 8];
    bool any = false;
    for (int i = 0; i < PARTS; i++) {
        delta[cells[i]] = c->now[i] - c->base[i];
        taken[cells[i]] = 0;
        any = any || delta[cells[i]];
    }
    if (any) {
        uint8_t *p = jst_put_svarint(frame + JST_FRAME_GAP, (int64_t)(c->open_slice - c->expected));
        p = jst_put_varint(p, slice - c->open_slice);
        p = jst_put_cells(p, delta, taken, JST_LOAD(jst_tick_ns));
        if (!append(c, JST_RECORD_SLICE, frame, (size_t)(p - frame) - JST_FRAME_GAP))
            return;
        c->expected = slice;
    }
    for (int i = 0; i < PARTS; i++)
        c->base[i] += taken[cells[i]];
    c->open_slice = slice;
    commit(c);
}

/* What it has used so far: in the header, so that it survives all processes. */
static void update(child *c, const uint64_t *used, unsigned parts, uint64_t now)
{
    for (unsigned i = 0; i < parts; i++) {
        if (used[i] > c->now[i]) /* the kernel scales times, and they may go back */
            c->now[i] = used[i];
        put(c, &c->now[i], 8, BLOCK_AT + offsetof(jst_block, cells) + 8 * cells[i]);
    }
    put(c, &now, 8, offsetof(jst_head, heartbeat_ns));
    c->looked_ns = now;
    uint64_t slice = now / jst_cfg.slice_ns;
    if (slice > c->open_slice)
        write_slice(c, slice);
}

static void fill_head(jst_head *h, const facts *f, uint64_t now)
{
    char path[64];
    struct stat st;
    uint64_t boot = now - jst_clock_ns(CLOCK_BOOTTIME);
    /* The fields that identify the node and the job are copied from this process's header. */
    jst_zero(h, sizeof *h);
    jst_copy(h, &jst_a.head, offsetof(jst_head, mpi_state));
    jst_copy(h->launcher, jst_a.head.launcher,
             offsetof(jst_head, papi_names) - offsetof(jst_head, launcher));
    h->head_bytes = HEAD_BYTES;
    h->commit_offset = COMMIT_AT;
    h->table_offset = TABLE_AT;
    h->block_offset = BLOCK_AT;
    h->block_capacity = 1;
    h->ring_offset = HEAD_BYTES;
    h->ring_bytes = 0;
    h->tick_ns = JST_LOAD(jst_tick_ns);
    h->heartbeat_ns = h->file_ns = now;
    h->start_ns = boot + f->proc_start * TICK_NS;
    h->first_slice = h->start_ns / h->slice_ns;
    h->start_clock_state = h->clock_state = jst_a.head.clock_state;
    h->start_clock_error_us = h->clock_error_us = jst_a.head.clock_error_us;
    h->pid = f->pid;
    h->ppid = f->ppid;
    h->sid = f->sid;
    h->part = 0;
    h->proc_start = f->proc_start;
    atomic_store(&h->blocks_used, 1);
    proc_path(path, f->pid, "");
    if (jst_fstatat(AT_FDCWD, path, &st, 0) == 0) {
        h->uid = st.st_uid;
        h->gid = st.st_gid;
    }
    jst_zero(h->program, sizeof h->program);
    jst_zero(h->command, sizeof h->command);
    proc_path(path, f->pid, "/exe");
    if (jst_sys4(SYS_readlinkat, AT_FDCWD, path, h->program, sizeof h->program - 1) < 0) {
        /* Another user's: its command line is readable, but must not be recorded. */
        jst_put_text(h->program, h->program + sizeof h->program, f->name);
        return;
    }
    proc_path(path, f->pid, "/cmdline");
    jst_command_line(path, h);
}

static int create(const facts *f)
{
    char name[160];
    const char *end = name + sizeof name;
    int dir = jst_size_allowed(HEAD_BYTES + 65536) ? jst_spool_open() : -1;
    if (dir < 0)
        return NONE;
    char *p = jst_put_number(jst_job_file_name(name, end), end, f->pid);
    p = jst_put_number(jst_put_text(p, end, "."), end, f->proc_start);
    jst_put_text(p, end, ".jsp");
    /* There is one already: another ancestor watches it. */
    int fd = jst_openat(dir, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    jst_close(dir);
    return fd < 0 ? NONE : fd;
}

static void begin(child *c, const facts *f, uint64_t now)
{
    JST_SCRATCH static jst_head head;
    static uint8_t frame[256];
    static const char note[] =
        "seen from outside, by a process above it: only its CPU time, to 0.01 s, and bytes, once a "
        "second";
    c->fd = create(f);
    if (c->fd < 0)
        return;
    fill_head(&head, f, now);
    jst_sys2(SYS_ftruncate, c->fd, HEAD_BYTES);
    put(c, &head, sizeof head, 0);
    put(c, jst_metric_table, jst_metric_table_bytes, TABLE_AT);
    c->records_end = HEAD_BYTES;
    c->open_slice = c->expected = head.first_slice;
    uint8_t *p = jst_put_varint(frame + JST_FRAME_GAP, now);
    p = jst_put_string(p, note, sizeof note - 1);
    append(c, JST_RECORD_NOTE, frame, (size_t)(p - frame) - JST_FRAME_GAP);
    commit(c);
}

/* ---- the job it belongs to ---- */

static bool is_off(const char *value)
{
    static const char *const words[] = {"off", "0", "no", "false"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (jst_str_equal(value, words[i]))
            return true;
    return false;
}

/* Its user has excluded it, or it belongs to another job. A process that has become another user's
 * (setuid) shows neither its environment nor its file: it belongs to its parent's job, and the
 * kernel's name of it is used. */
static bool is_not_ours(const facts *f)
{
    JST_SCRATCH static char text[65536];
    char path[64];
    proc_path(path, f->pid, "/environ");
    long n = jst_read_file(path, text, sizeof text);
    if (n == -EACCES || n == -EPERM)
        return jst_program_excluded(f->name);
    if (n < 0)
        return true;
    for (long at = 0; at < n; at += (long)jst_strlen(text + at) + 1)
        if ((jst_begins_with(text + at, "JOSTLE=") && is_off(text + at + 7)) ||
            (jst_begins_with(text + at, "JOSTLE_JOB=") &&
             !jst_str_equal(text + at + 11, jst_cfg.job)))
            return true;
    proc_path(path, f->pid, "/exe");
    n = jst_sys4(SYS_readlinkat, AT_FDCWD, path, text, 4095);
    text[n > 0 ? n : 0] = 0;
    return jst_program_excluded(jst_base_name(text));
}

/* A heartbeat is recognised by its name, and is among the first threads of a process. */
static bool has_heartbeat(uint32_t pid)
{
    static char buffer[1024];
    char path[64], name[32];
    proc_path(path, pid, "/task");
    int dir = jst_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long n = dir < 0 ? 0 : jst_sys3(SYS_getdents64, dir, buffer, sizeof buffer);
    bool found = false;
    for (long at = 0; at < n && !found; at += ((jst_entry *)(buffer + at))->length) {
        jst_entry *e = (jst_entry *)(buffer + at);
        jst_put_text(jst_put_text(path, path + sizeof path, e->name), path + sizeof path, "/comm");
        int fd = e->name[0] == '.' ? -1 : jst_openat(dir, path, O_RDONLY | O_CLOEXEC, 0);
        long r = fd < 0 ? 0 : jst_read(fd, name, sizeof name - 1);
        name[r > 0 ? r : 0] = 0;
        found = jst_str_equal(name, JST_HEARTBEAT_NAME "\n");
        if (fd >= 0)
            jst_close(fd);
    }
    if (dir >= 0)
        jst_close(dir);
    return found;
}

/* ---- checking processes ---- */

static bool read_facts(uint32_t pid, facts *f)
{
    char path[64], text[1024];
    uint64_t field[23] = {0};
    proc_path(path, pid, "/stat");
    long n = jst_read_file(path, text, sizeof text);
    while (n > 0 && text[n - 1] != ')') /* the name may hold anything */
        n--;
    if (n <= 0)
        return false;
    int at = 2;
    for (const char *p = text + n; *p && at < 23; p++)
        if (*p == ' ')
            at++;
        else if (*p >= '0' && *p <= '9')
            field[at] = field[at] * 10 + (uint64_t)(*p - '0');
    *f = (facts){pid,       (uint32_t)field[4], (uint32_t)field[6],
                 field[22], field[20],          {field[14] * TICK_NS, field[15] * TICK_NS},
                 ""};
    /* PID (NAME) ... */
    const char *name = text;
    while (*name && *name++ != '(')
        ;
    text[n - 1] = 0;
    jst_put_text(f->name, f->name + sizeof f->name, name);
    return at == 23;
}

/* Of a process with one thread that thread's, which does not include its children's traffic. */
static void read_moved(facts *f)
{
    static const unsigned lines[] = {READ_CHARS, WRITE_CHARS, 0, 0, READ_BYTES, WRITE_BYTES};
    char path[64], text[256];
    proc_path(path, f->pid, "/task/");
    if (f->threads > 1)
        proc_path(path, f->pid, "");
    else
        jst_put_number(path + jst_strlen(path), path + sizeof path, f->pid);
    jst_put_text(path + jst_strlen(path), path + sizeof path, "/io");
    long n = jst_read_file(path, text, sizeof text);
    const char *p = text;
    for (unsigned i = 0; n > 0 && i < sizeof lines / sizeof *lines; i++) {
        uint64_t number = jst_next_number(&p);
        if (lines[i])
            f->used[lines[i]] = number;
    }
}

static child *find(const facts *f)
{
    child *free = NULL;
    for (child *c = children; c < children + CHILDREN; c++) {
        if (c->pid == f->pid && c->proc_start == f->proc_start)
            return c;
        if (!c->pid && !free)
            free = c;
    }
    if (free) {
        jst_zero(free, sizeof *free);
        places++;
        free->pid = f->pid;
        free->proc_start = f->proc_start;
        free->fd = UNDECIDED;
    }
    return free;
}

static void visit(facts *f, uint64_t now)
{
    child *c = find(f);
    if (!c)
        return;
    c->seen = true;
    bool grown = f->threads > 1 && f->threads != c->threads;
    c->threads = f->threads;
    if (c->fd == UNDECIDED) {
        read_moved(f);
        if (f->used[USER] + f->used[SYSTEM] < LEAST_TICKS * TICK_NS &&
            f->used[READ_CHARS] + f->used[WRITE_CHARS] < LEAST_CHARS)
            return;
        if (is_not_ours(f))
            c->fd = NONE;
    }
    if (c->fd != NONE && grown && has_heartbeat(f->pid)) {
        if (c->fd >= 0)
            jst_close(c->fd);
        c->fd = NONE;
    }
    if (c->fd == UNDECIDED)
        begin(c, f, now);
    else if (c->fd >= 0)
        read_moved(f);
    if (c->fd >= 0)
        update(c, f->used, PARTS, now);
}

/* A process lists the children of its threads one by one; those of the main thread are looked at. */
static void list_path(char path[64], uint32_t pid)
{
    const char *end = path + 64;
    proc_path(path, pid, "/task/");
    jst_put_text(jst_put_number(path + jst_strlen(path), end, pid), end, "/children");
}

static void walk(uint32_t pid, int depth, uint64_t now)
{
    char path[64], text[1024];
    long n;
    if (depth == 0) {
        n = own_fd < 0 ? -1 : jst_pread(own_fd, text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = 0;
    } else {
        list_path(path, pid);
        n = jst_read_file(path, text, sizeof text);
    }
    for (const char *p = text; n > 0 && *p && budget > 0; p++) {
        uint64_t number = 0;
        while (*p >= '0' && *p <= '9')
            number = number * 10 + (uint64_t)(*p++ - '0');
        facts f;
        if (*p != ' ') /* the list is longer than the buffer */
            return;
        budget--;
        if (!read_facts((uint32_t)number, &f))
            continue;
        visit(&f, now);
        if (depth < DEPTH)
            walk(f.pid, depth + 1, now);
    }
}

/* When a child has been waited for, the kernel adds its CPU time to the parent's sum over ended
 * children. If exactly one child is missing since the last visit and the increase of this sum
 * fits, the increase is that child's total. */
static void settle(uint64_t now)
{
    struct rusage u;
    child *gone = NULL;
    unsigned missing = 0;
    for (child *c = children; c < children + CHILDREN; c++)
        if (c->pid && !c->seen && c->fd >= 0) {
            gone = c;
            missing++;
        }
    if (jst_sys2(SYS_getrusage, RUSAGE_CHILDREN, &u) < 0)
        return;
    uint64_t all[CPU_PARTS] = {
        (uint64_t)u.ru_utime.tv_sec * 1000000000u + (uint64_t)u.ru_utime.tv_usec * 1000u,
        (uint64_t)u.ru_stime.tv_sec * 1000000000u + (uint64_t)u.ru_stime.tv_usec * 1000u};
    uint64_t whole[CPU_PARTS], sum = 0, known = 0;
    for (int i = 0; i < CPU_PARTS; i++) {
        whole[i] = all[i] - reaped[i];
        reaped[i] = all[i];
        sum += whole[i];
        known += gone ? gone->now[i] : 0;
    }
    if (missing == 1 && sum >= known && gone->threads > 0 &&
        sum - known <= (now - gone->looked_ns) * gone->threads + SLACK_NS)
        update(gone, whole, CPU_PARTS, now);
}

void jst_children_begin(void)
{
    jst_zero(children, sizeof children);
    jst_zero(reaped, sizeof reaped);
    places = 0;
    char path[64];
    list_path(path, (uint32_t)jst_now_life.pid);
    own_fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

void jst_children_look(uint64_t now)
{
    for (child *c = children; places && c < children + CHILDREN; c++)
        c->seen = false;
    budget = BUDGET;
    walk((uint32_t)jst_now_life.pid, 0, now);
    if (places == 0) /* as most processes have it: no page of the table is touched */
        return;
    settle(now);
    for (child *c = children; c < children + CHILDREN; c++)
        if (c->pid && !c->seen) {
            if (c->fd >= 0)
                jst_close(c->fd);
            c->pid = 0;
            places--;
        }
}

/* The module has no `open`: the heartbeat calls jst_children_begin before it opens anything. */
void jst_module_children_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    (void)b;
    /* At the end the clock has not been read yet. */
    jst_children_look(occasion == JST_AT_END ? jst_clock_ns(CLOCK_REALTIME) : now_ns);
}
