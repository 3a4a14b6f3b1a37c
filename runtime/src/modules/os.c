/* os.c: the kernel's accounts of the process: /proc/self/io, getrusage, schedstat. Sampled at the
 * end of each slice, and in long slices once a second.
 *
 * Values go into block 0, which only the heartbeat writes (and, when no heartbeat runs, the thread
 * that ends the process). Our own part is subtracted: the heartbeat's CPU time and switches, and
 * every byte that we read or wrote ourselves.
 */
#include <sys/resource.h>

#include "block.h"
#include "common.h"
#include "modules.h"
#include "os.h"
#include "os_cores.h"
#include "profile/profile_layout.h"
#include "sys.h"
#include "text.h"

/* (declared in sys.h) */
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

#if JST_WITH_OS

enum { RCHAR, WCHAR, SYSCR, SYSCW, READ_BYTES, WRITE_BYTES, IO_FIELDS };

static const unsigned io_cells[IO_FIELDS] = {
    JST_CELL_OS_READ_CHARS,  JST_CELL_OS_WRITE_CHARS, JST_CELL_OS_READ_CALLS,
    JST_CELL_OS_WRITE_CALLS, JST_CELL_OS_READ_BYTES,  JST_CELL_OS_WRITE_BYTES,
};

static struct {
    uint64_t io[IO_FIELDS], user, system, voluntary, involuntary, minor, major;
    uint64_t own[IO_FIELDS];  /* our own part of io */
    uint64_t main[IO_FIELDS]; /* io of the main thread alone */
    uint64_t own_main[IO_FIELDS];
    uint64_t children;
} last;
static uint64_t own_at_open[IO_FIELDS]; /* work of the program's threads for us */
static int io_fd = -1, main_fd = -1, statm_fd = -1, task_fd = -1;
static const char *missing;
static bool leader_gone;

static long own_pread(int fd, char *buf, size_t n)
{
    long r = jst_pread(fd, buf, n - 1, 0);
    buf[r > 0 ? r : 0] = 0;
    return r;
}

static void own_io(uint64_t *own)
{
    own[RCHAR] = jst_own_read_bytes;
    own[WCHAR] = jst_own_write_bytes;
    own[SYSCR] = jst_own_read_calls;
    own[SYSCW] = jst_own_write_calls;
}

/* rchar wchar syscr syscw read_bytes write_bytes, one a line. The kernel counts a read when it has
 * ended, so the reading of this file is not in it yet. */
static bool parse_io(const char *text, long n, uint64_t *io)
{
    for (int i = 0; n > 0 && i < IO_FIELDS; i++)
        io[i] = jst_next_number(&text);
    return n > 0;
}

/* Any child that was waited for leaves a mark in one of these. */
static uint64_t children_mark(void)
{
    struct rusage u;
    if (jst_sys2(SYS_getrusage, RUSAGE_CHILDREN, &u) < 0)
        return 0;
    return (uint64_t)u.ru_minflt + (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static uint64_t time_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

void jst_os_begin(void)
{
    struct rusage u;
    jst_zero(&last, sizeof last);
    char text[256];
    own_io(last.own);
    parse_io(text, jst_read_lines("/proc/self/io", text, sizeof text), last.io);
    jst_copy(last.own_main, last.own, sizeof last.own);
    jst_copy(last.main, last.io, sizeof last.io);
    last.children = children_mark();
    if (last.children) { /* an image before this one has waited for some: they are in io */
        own_io(last.own_main);
        parse_io(text, jst_read_lines("/proc/thread-self/io", text, sizeof text), last.main);
    }
    if (jst_sys2(SYS_getrusage, RUSAGE_SELF, &u) == 0) {
        last.user = time_ns(u.ru_utime);
        last.system = time_ns(u.ru_stime);
        last.voluntary = (uint64_t)u.ru_nvcsw;
        last.involuntary = (uint64_t)u.ru_nivcsw;
        last.minor = (uint64_t)u.ru_minflt;
        last.major = (uint64_t)u.ru_majflt;
    }
}

/* The kernel starts a child's accounts at zero, and the parent's heartbeat is not in it. */
void jst_module_os_child(void)
{
    jst_zero(&last, sizeof last);
    jst_own_read_bytes = jst_own_read_calls = jst_own_write_bytes = jst_own_write_calls = 0;
    io_fd = main_fd = statm_fd = task_fd = -1;
    jst_cores_child();
}

void jst_os_open(void)
{
    char path[64];
    char *p = jst_put_text(path, path + sizeof path, "/proc/self/task/");
    p = jst_put_number(p, path + sizeof path, (uint64_t)jst_getpid());
    jst_put_text(p, path + sizeof path, "/io");
    own_io(own_at_open);
    main_fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    io_fd = jst_openat(AT_FDCWD, "/proc/self/io", O_RDONLY | O_CLOEXEC, 0);
    task_fd = jst_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    statm_fd = jst_openat(AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    jst_cores_open(task_fd);
    missing = io_fd < 0
                  ? "os: /proc/self/io cannot be read; os_*_chars, _bytes and _calls are missing"
                  : NULL;
}

const char *jst_os_missing(void)
{
    return missing;
}

bool jst_os_leader_gone(void)
{
    return JST_LOAD(leader_gone);
}

/* The kernel scales the shares of user and system time, of a thread and of all threads, separately,
 * and two reads are not at one instant: a part may seem to be more than the whole. */
static uint64_t less(uint64_t all, uint64_t ours)
{
    return all > ours ? all - ours : 0;
}

/* RATIONALE: /proc/self/io of a process grows by all of a child's traffic when the child is waited
 * for; a shell would show the traffic of its commands, late and a second time. In a slice in which
 * a child was waited for, the main thread's own account is taken instead. */
static void sample_io(jst_block *b)
{
    char text[256];
    uint64_t io[IO_FIELDS], own[IO_FIELDS], alone[IO_FIELDS];
    own_io(own);
    if (io_fd < 0 || !parse_io(text, own_pread(io_fd, text, sizeof text), io))
        return;
    bool have_main = parse_io(text, own_pread(main_fd, text, sizeof text), alone);
    uint64_t children = children_mark();
    bool waited = have_main && children != last.children;
    last.children = children;
    for (int i = 0; i < IO_FIELDS; i++) {
        bool chars =
            i != READ_BYTES && i != WRITE_BYTES; /* our part of the storage bytes is not known */
        uint64_t all = less(less(io[i], last.io[i]), chars ? own[i] - last.own[i] : 0);
        uint64_t main = have_main ? less(less(alone[i], last.main[i]),
                                         chars ? less(own_at_open[i], last.own_main[i]) : 0)
                                  : 0;
        b->cells[io_cells[i]] += waited ? main : all;
        last.io[i] = io[i];
        last.own[i] = own[i];
        last.own_main[i] = own_at_open[i];
        if (have_main)
            last.main[i] = alone[i];
    }
}

static void add_grown(uint64_t *cell, uint64_t now, uint64_t *before)
{
    if (now > *before)
        *cell += now - *before;
    *before = now > *before ? now : *before;
}

/* Our own part is read first: work of the heartbeat between the two (an interruption is a switch)
 * then makes the rest too large until the next sample, never negative. */
static void sample_usage(uint64_t *usage)
{
    struct rusage u, ours;
    jst_zero(&ours, sizeof ours);
    if (io_fd >= 0) /* in the heartbeat */
        jst_sys2(SYS_getrusage, RUSAGE_THREAD, &ours);
    if (jst_sys2(SYS_getrusage, RUSAGE_SELF, &u) < 0)
        return;
    add_grown(&usage[JST_CELL_OS_USER_NS - JST_CELL_OS_USER_NS],
              less(time_ns(u.ru_utime), time_ns(ours.ru_utime)), &last.user);
    add_grown(&usage[JST_CELL_OS_SYSTEM_NS - JST_CELL_OS_USER_NS],
              less(time_ns(u.ru_stime), time_ns(ours.ru_stime)), &last.system);
    add_grown(&usage[JST_CELL_OS_VOLUNTARY_SWITCHES - JST_CELL_OS_USER_NS],
              less((uint64_t)u.ru_nvcsw, (uint64_t)ours.ru_nvcsw), &last.voluntary);
    add_grown(&usage[JST_CELL_OS_INVOLUNTARY_SWITCHES - JST_CELL_OS_USER_NS],
              less((uint64_t)u.ru_nivcsw, (uint64_t)ours.ru_nivcsw), &last.involuntary);
    add_grown(&usage[JST_CELL_OS_MINOR_FAULTS - JST_CELL_OS_USER_NS],
              less((uint64_t)u.ru_minflt, (uint64_t)ours.ru_minflt), &last.minor);
    add_grown(&usage[JST_CELL_OS_MAJOR_FAULTS - JST_CELL_OS_USER_NS],
              less((uint64_t)u.ru_majflt, (uint64_t)ours.ru_majflt), &last.major);
}

static void sample_levels(jst_block *b)
{
    char text[96];
    struct stat st;
    if (statm_fd >= 0 && own_pread(statm_fd, text, sizeof text) > 0) {
        const char *p = text;
        bool gone = jst_next_number(&p) == 0; /* it shows the main thread's memory: it has none */
        JST_STORE(leader_gone, gone);
        if (!gone)
            b->cells[JST_CELL_OS_RSS_BYTES] = jst_next_number(&p) * jst_page_bytes();
    }
    /* Each thread is a folder: one link for each, and two of the parent itself. The heartbeat is
     * not counted. */
    if (task_fd >= 0 && jst_fstat(task_fd, &st) == 0 && st.st_nlink > 3)
        b->cells[JST_CELL_OS_THREADS] = st.st_nlink - 3;
}

void jst_os_sample(jst_block *b)
{
    sample_io(b);
    sample_usage(&b->cells[JST_CELL_OS_USER_NS]);
    sample_levels(b);
    jst_cores_sample(b);
}

void jst_os_sample_short(uint64_t *usage)
{
    sample_usage(usage);
}

#else

void jst_os_begin(void) {}

void jst_module_os_child(void) {}

void jst_os_open(void) {}

void jst_os_sample(jst_block *b)
{
    (void)b;
}

void jst_os_sample_short(uint64_t *usage)
{
    (void)usage;
}

const char *jst_os_missing(void)
{
    return NULL;
}

bool jst_os_leader_gone(void)
{
    return false;
}

#endif

const char *jst_module_os_open(jst_block *b)
{
    jst_os_open();
    jst_os_sample(b);
    return jst_os_missing();
}

void jst_module_os_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    (void)now_ns, (void)occasion;
    jst_os_sample(b);
}
