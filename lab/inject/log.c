/* log.c: every delay, in a file that is mapped: what is written there outlives kill -9.
 *
 * The file grows by pieces that are allocated before they are touched, so that a full disk is an
 * error here and no SIGBUS in the program. Delays without space for a record are counted, with
 * their length.
 */
#include "injector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#define VERSION 1
#define MOST (1u << 20) /* records: 64 MiB */
#define FEW (1u << 14)  /* where address space is short */
#define FIRST 1008u     /* records in the first piece: 64 KiB in all but the header's second half */

extern char *program_invocation_short_name;

jst_log_head *jst_log;

static jst_log_record *records;
static _Atomic uint64_t allocated; /* records that the file has room for */
static _Atomic uint32_t full;      /* it can grow no more */
static char path[768];

static uint64_t bytes_of(uint64_t count)
{
    return sizeof(jst_log_head) + count * sizeof(jst_log_record);
}

static char *put(char *p, const char *end, const char *text)
{
    while (*text && p + 1 < end)
        *p++ = *text++;
    *p = 0;
    return p;
}

static char *put_number(char *p, const char *end, uint64_t n)
{
    char digits[24];
    char *d = digits + sizeof digits - 1;
    *d = 0;
    do
        *--d = (char)('0' + n % 10);
    while (n /= 10);
    return put(p, end, d);
}

/* A process that may not make files so large gets SIGXFSZ for an attempt. */
static bool allowed(uint64_t bytes)
{
    struct rlimit limit;
    return jst_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0 ||
           limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static bool room_to(int fd, uint64_t from, uint64_t to)
{
    static const char zeros[4096];
    if (!allowed(to))
        return false;
    long r;
    do
        r = jst_sys4(SYS_fallocate, fd, 0, from, to - from);
    while (r == -EINTR);
    if (r != -EOPNOTSUPP && r != -ENOSYS)
        return r == 0;
    for (uint64_t at = from; at < to; at += sizeof zeros) {
        uint64_t n = to - at < sizeof zeros ? to - at : sizeof zeros;
        if (jst_sys4(SYS_pwrite64, fd, zeros, n, at) != (long)n)
            return false;
    }
    return true;
}

/* The folder may be anybody's to write in: a file with our name may be a pipe or a device. */
static int open_regular(int flags, int mode)
{
    struct stat st;
    int fd =
        jst_openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
    if (fd < 0 || (jst_fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    jst_close(fd);
    return -ESPIPE;
}

/* Room for record number n; several threads may come here at once, and ask for the same. */
static bool grow(uint64_t n)
{
    uint64_t have = atomic_load(&allocated), want = have;
    if (atomic_load(&full) || n >= jst_log->capacity)
        return false;
    while (want <= n)
        want *= 2;
    if (want > jst_log->capacity)
        want = jst_log->capacity;
    int fd = open_regular(O_RDWR, 0);
    bool grown = fd >= 0 && room_to(fd, bytes_of(have), bytes_of(want));
    if (fd >= 0)
        jst_close(fd);
    if (!grown) {
        atomic_store(&full, 1);
        return false;
    }
    while (have < want && !atomic_compare_exchange_weak(&allocated, &have, want))
        ;
    return true;
}

/* ---- making it ---- */

static const char *host_name(void)
{
    static struct utsname names;
    if (!names.nodename[0])
        jst_sys1(SYS_uname, &names);
    for (char *p = names.nodename; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    return names.nodename;
}

/* The process's number among those of its rank (or of none) on this host that came here: a program
 * that a script starts a hundred times must not have the same delays each time. */
#define PLACES 1024u
static bool find_ordinal(int64_t rank, uint32_t *ordinal)
{
    const char *end = path + sizeof path;
    char *p = put(put(path, end, jst_rule.log), end, "/inject-");
    put(put(p, end, host_name()), end, ".order");
    int fd = open_regular(O_RDWR | O_CREAT, 0666);
    if (fd < 0)
        return false;
    /* Room for it first, as in room_to; but others may be counting in it already: no zeros. */
    long r = allowed(PLACES * 4) ? jst_sys4(SYS_fallocate, fd, 0, 0, PLACES * 4) : -EFBIG;
    if (r == -EOPNOTSUPP || r == -ENOSYS)
        r = jst_sys2(SYS_ftruncate, fd, PLACES * 4);
    long at =
        r == 0 ? jst_sys6(SYS_mmap, 0, PLACES * 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : -1;
    jst_close(fd);
    if (at < 0 && at > -4096)
        return false;
    _Atomic uint32_t *places = (_Atomic uint32_t *)at;
    *ordinal = atomic_fetch_add(&places[rank < 0 ? 0 : 1 + rank % (PLACES - 1)], 1);
    jst_sys2(SYS_munmap, at, PLACES * 4);
    return true;
}

/* inject-HOST-PID.jil; behind it .1 and so on: the same process may become another program. */
static int create(void)
{
    const char *end = path + sizeof path;
    for (unsigned i = 0; i < 1000; i++) {
        char *p = put(put(path, end, jst_rule.log), end, "/inject-");
        p = put(put(p, end, host_name()), end, "-");
        p = put_number(p, end, (uint64_t)jst_getpid());
        if (i)
            p = put_number(put(p, end, "."), end, i);
        if (put(p, end, ".jil") + 1 == end)
            return -ENAMETOOLONG;
        int fd = jst_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd != -EEXIST)
            return fd;
    }
    return -EEXIST;
}

static void fill_head(jst_log_head *h, int64_t rank, uint32_t ordinal, uint32_t capacity)
{
    h->version = VERSION;
    h->head_bytes = sizeof *h;
    h->record_bytes = sizeof(jst_log_record);
    h->capacity = capacity;
    h->pid = (uint32_t)jst_getpid();
    h->rank = (int32_t)rank;
    h->ordinal = ordinal;
    h->class_count = JST_DELAY_CLASSES;
    h->seed = jst_rule.seed;
    h->start_ns = jst_now(CLOCK_REALTIME);
    jst_text(h->host, sizeof h->host, host_name());
    const char *job = getenv("JOSTLE_JOB");
    jst_text(h->job, sizeof h->job, job ? job : "");
    jst_text(h->program, sizeof h->program, program_invocation_short_name);
    jst_text(h->rules, sizeof h->rules, jst_rule.text);
    for (unsigned i = 0; i < JST_DELAY_CLASSES; i++)
        jst_text(h->classes[i].name, sizeof h->classes[i].name, jst_class_name(i));
    memcpy(h->magic, "JSTINJ1\n", 8);
}

static long map(int fd, uint32_t capacity)
{
    return jst_sys6(SYS_mmap, 0, (long)bytes_of(capacity), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, fd, 0);
}

bool jst_log_make(int64_t rank)
{
    uint32_t ordinal = 0, capacity = MOST;
    jst_sys3(SYS_mkdirat, AT_FDCWD, jst_rule.log, 0777); /* on another node it may be missing */
    if (!find_ordinal(rank, &ordinal))
        return false;
    int fd = create();
    if (fd < 0)
        return false;
    long at = -1;
    if (room_to(fd, 0, bytes_of(FIRST))) {
        at = map(fd, capacity);
        if (at < 0 && at > -4096)
            at = map(fd, capacity = FEW);
    }
    jst_close(fd);
    if (at < 0 && at > -4096) {
        jst_sys3(SYS_unlinkat, AT_FDCWD, path, 0);
        return false;
    }
    atomic_store(&allocated, FIRST);
    atomic_store(&full, 0);
    records = (jst_log_record *)(at + (long)sizeof(jst_log_head));
    fill_head((jst_log_head *)at, rank, ordinal, capacity);
    jst_log = (jst_log_head *)at;
    return true;
}

void jst_log_leave(void)
{
    if (jst_log)
        jst_sys2(SYS_munmap, jst_log, bytes_of(jst_log->capacity));
    jst_log = NULL;
}

/* ---- one delay ---- */

jst_log_record *jst_log_begin(unsigned klass, const char *call, uint64_t n)
{
    uint64_t at = atomic_fetch_add(&jst_log->begun, 1);
    if (at >= atomic_load_explicit(&allocated, memory_order_relaxed) && !grow(at))
        return NULL;
    jst_log_record *r = &records[at];
    r->start_ns = jst_now(CLOCK_REALTIME);
    r->n = n;
    r->tid = (uint32_t)jst_gettid();
    r->klass = (uint16_t)klass;
    jst_text(r->call, sizeof r->call, call);
    atomic_store_explicit(&r->valid, 1, memory_order_release);
    return r;
}

void jst_log_end(jst_log_record *r, unsigned klass, uint64_t ns)
{
    jst_log_class *c = &jst_log->classes[klass];
    if (r) {
        __atomic_store_n(&r->delay_ns, ns, __ATOMIC_RELAXED);
    } else {
        atomic_fetch_add(&jst_log->lost, 1);
        atomic_fetch_add(&jst_log->lost_ns, ns);
    }
    atomic_fetch_add(&c->given, 1);
    atomic_fetch_add(&c->ns, ns);
}
