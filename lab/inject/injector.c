/* injector.c: delays calls on purpose, inside the call as libjostle.so times it.
 *
 * RATIONALE: libjostle.so decides which call is an outermost one, is timed and reaches a file;
 * nothing else is delayed, so that log and profile can be compared to the microsecond, for C,
 * Fortran and whatever calls the MPI's functions by their PMPI names.
 *
 * RATIONALE: a delay sleeps, and spins only at its end (spin_for). The file system's delays sleep
 * anyway. An MPI that waits for the network spins or yields, but program and profile see only its
 * wall-clock time; and where ranks share cores, a delay that took the processor from its neighbours
 * would be two disturbances, of which only one is in the log.
 */
#include "injector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;
extern char *program_invocation_short_name;
extern const char jst_inject_stubs[]; /* JST_STUB_BYTES for each entry of calls.def */
#define JST_STUB_BYTES 16

/* ---- the calls of calls.def ---- */

#define JST_CALL(module, name, ret, params, kind, ...) JST_I_##name,
#define JST_CALL_OPT(module, name, ret, params, kind, ...) JST_I_##name,
enum {
#include "../../schema/calls.def"
    JST_CALLS
};
#undef JST_CALL
#undef JST_CALL_OPT
_Static_assert(JST_CALLS <= 512, "stubs.S has as many");

static const struct {
    const char *name, *module, *parameters, *kind;
} entries[] = {
#define JST_CALL(module, name, ret, params, kind, ...) {#name, #module, #params, kind},
#define JST_CALL_OPT(module, name, ret, params, kind, ...) {#name, #module, #params, kind},
#include "../../schema/calls.def"
};
#undef JST_CALL
#undef JST_CALL_OPT

/* How to find out whether a call is about a file. */
enum target { ANY, DESCRIPTOR, STREAM, PATH, STDIN, STDOUT };

static struct {
    void *real;
    uint8_t klass, target, argument;
} calls[JST_CALLS];

static const jst_inject_host *host;
static int64_t rank;            /* -1: none, or not known yet */
static bool chosen;             /* calls of this process are to be delayed */
static uint64_t origin_ns;      /* of the window, CLOCK_MONOTONIC */
static uint64_t initialised_ns; /* MPI_Init was done, CLOCK_REALTIME; 0: it was not */
static uint64_t keys[JST_DELAY_CLASSES];
static _Atomic uint32_t ready; /* of the log: */
enum { NOT_YET, MAKING, READY, FAILED };
static uint64_t error_device, error_inode; /* of stderr as it was */
/* Until when the thread's delay lasts, and where its frame is: a handler that interrupts it runs
 * deeper in the stack, and is not delayed in its turn. No flag: it may leave by longjmp. */
static __thread uint64_t busy_until;
static __thread uintptr_t busy_frame;

/* ---- messages ---- */

static void stderr_identity(uint64_t *device, uint64_t *inode)
{
    struct stat st;
    bool there = jst_fstat(2, &st) == 0;
    *device = there ? (uint64_t)st.st_dev : 0;
    *inode = there ? (uint64_t)st.st_ino : 0;
}

void jst_tell(const char *what, const char *value, const char *then)
{
    char line[512];
    uint64_t device, inode;
    stderr_identity(&device, &inode);
    if (!inode || device != error_device || inode != error_inode)
        return;
    const char *const pieces[] = {"jostle: ", what, " `", value, "` ", then, "\n"};
    size_t n = 0;
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (const char *p = pieces[i]; *p && n < sizeof line - 1; p++)
            line[n++] = *p;
    line[n - 1] = '\n';
    jst_sys3(SYS_write, 2, line, n);
}

/* ---- the log and the numbers, at the first call that could be delayed ---- */

static void find_keys(void)
{
    for (unsigned i = 0; i < JST_DELAY_CLASSES; i++)
        keys[i] = jst_chance_key(jst_rule.seed, rank, jst_log->ordinal, i);
}

static bool make_ready(void)
{
    uint64_t signals;
    uint32_t state = NOT_YET;
    jst_block_signals(&signals);
    if (atomic_compare_exchange_strong(&ready, &state, MAKING)) {
        state = jst_log_make(rank) ? READY : FAILED;
        if (state == READY) {
            jst_log->ready_ns = initialised_ns;
            find_keys();
        }
        atomic_store(&ready, state);
        if (state == FAILED)
            jst_tell("no log can be written in", jst_rule.log, "so no delays are injected");
    }
    while ((state = atomic_load(&ready)) == MAKING)
        jst_sys0(SYS_sched_yield);
    jst_restore_signals(&signals);
    return state == READY;
}

static inline bool is_ready(void)
{
    uint32_t state = atomic_load_explicit(&ready, memory_order_acquire);
    return state == READY || (state != FAILED && make_ready());
}

/* ---- a delay ---- */

static bool in_window(uint64_t now)
{
    const jst_rules *r = &jst_rule;
    uint64_t age = now - origin_ns;
    if (age < r->from_ns || age >= r->until_ns)
        return false;
    if (!r->period_ns)
        return true;
    /* Periods are counted from the epoch: a phase is what a period begins later. */
    uint64_t clock = jst_now(CLOCK_REALTIME) - r->phase_ns % r->period_ns;
    uint64_t number = clock / r->period_ns, at = clock % r->period_ns;
    if (r->random_place) {
        uint64_t first = r->on_ns * jst_place(r->seed, number, r->period_ns / r->on_ns);
        return at >= first && at - first < r->on_ns;
    }
    return at < r->on_ns;
}

/* A sleep ends late: by the thread's timer slack (50 us by default) and by the time that waking a
 * core takes. How late is learned from every sleep, so that 19 of 20 end before the delay does;
 * the rest is spun. A sleep that ended later than SPIN_MOST waited for a core: spinning would not
 * have helped, and it is ignored. */
enum { SPIN_LEAST = 60000, SPIN_MOST = 250000, SPIN_STEP = 1000 };
static _Atomic uint32_t spin_ns = SPIN_LEAST;

static uint64_t spin_for(uint64_t ns)
{
    uint64_t learned = atomic_load_explicit(&spin_ns, memory_order_relaxed);
    uint64_t most = ns / 4 > SPIN_LEAST ? ns / 4 : SPIN_LEAST;
    return learned < most ? learned : most;
}

static void slept(uint64_t late)
{
    uint32_t known = atomic_load_explicit(&spin_ns, memory_order_relaxed);
    if (late > SPIN_MOST)
        return;
    known = late > known ? known + 19 * SPIN_STEP : known - SPIN_STEP;
    known = known < SPIN_LEAST ? SPIN_LEAST : known > SPIN_MOST ? SPIN_MOST : known;
    atomic_store_explicit(&spin_ns, known, memory_order_relaxed);
}

static void wait_until(uint64_t end, uint64_t ns)
{
    uint64_t wake = end - spin_for(ns), now = jst_now(CLOCK_MONOTONIC);
    struct timespec t = {(time_t)(wake / 1000000000u), (long)(wake % 1000000000u)};
    while (now < wake) { /* signals wake us too */
        long broken =
            jst_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 1 /* TIMER_ABSTIME */, &t, NULL);
        now = jst_now(CLOCK_MONOTONIC);
        if (!broken && now >= wake)
            slept(now - wake);
    }
    while (now < end) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("yield");
#endif
        now = jst_now(CLOCK_MONOTONIC);
    }
}

static __attribute__((noinline, cold)) void delay(unsigned klass, const char *call, uint64_t n,
                                                  uint64_t ns)
{
    uint64_t begin = jst_now(CLOCK_MONOTONIC);
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if ((begin < busy_until && frame < busy_frame) || !in_window(begin))
        return;
    busy_until = begin + ns;
    busy_frame = frame;
    int pid = jst_getpid();
    jst_log_record *r = jst_log_begin(klass, call, n);
    wait_until(begin + ns, ns);
    if (pid == jst_getpid()) /* else a handler forked meanwhile: the log is the parent's */
        jst_log_end(r, klass, jst_now(CLOCK_MONOTONIC) - begin);
}

static inline void consider(unsigned klass, const char *call)
{
    uint64_t ns;
    if (!chosen || !is_ready())
        return;
    uint64_t n = atomic_fetch_add_explicit(&jst_log->classes[klass].calls, 1, memory_order_relaxed);
    if (__builtin_expect(jst_chance(&jst_rule, keys[klass], n, &ns), 0))
        delay(klass, call, n, ns);
}

static void mpi(unsigned klass, const char *call)
{
    if (jst_rule.classes >> klass & 1)
        consider(klass, call);
}

/* ---- I/O ---- */

/* Read through the kernel: a program may hand over an address that is none, and wait for EFAULT. The
 * kernel looks at the set before it refuses the mask; the word around an address is in one page. */
static bool readable(uintptr_t address)
{
    enum { NO_SUCH_WAY = 99 };
    return jst_sys4(SYS_rt_sigprocmask, NO_SUCH_WAY, address & ~(uintptr_t)7, NULL, 8) == -EINVAL;
}

/* Files below these are in no file system that other jobs could disturb. */
static bool is_path(uintptr_t address)
{
    static const char *const pseudo[] = {"/proc/", "/sys/", "/dev/"};
    char text[8] = {0};
    for (unsigned i = 0; i < 6; i++) {
        if ((i == 0 || (address + i) % 8 == 0) && !readable(address + i))
            return false;
        if (!(text[i] = ((const char *)address)[i]))
            break;
    }
    for (unsigned i = 0; i < 3; i++)
        if (memcmp(text, pseudo[i], strlen(pseudo[i])) == 0)
            return false;
    return true;
}

static bool is_stream(const FILE *fp)
{
    return fp && (fp->_flags & 0x2000 /* a descriptor belongs to it: libc's ABI */) &&
           host->is_file(fp->_fileno);
}

static bool is_about_file(unsigned target, uintptr_t argument)
{
    switch (target) {
    case DESCRIPTOR:
        return host->is_file((int)argument);
    case STREAM:
        return is_stream((const FILE *)argument);
    case PATH:
        return is_path(argument);
    case STDIN:
        return is_stream(stdin);
    case STDOUT:
        return is_stream(stdout);
    default:
        return true;
    }
}

/* Called by a stub: returns where to go. The arguments are as the registers held them. */
void *jst_inject_call(unsigned index, const uintptr_t *arguments);
void *jst_inject_call(unsigned index, const uintptr_t *arguments)
{
    if (chosen && host->timed() &&
        is_about_file(calls[index].target, arguments[calls[index].argument]))
        consider(calls[index].klass, entries[index].name);
    return calls[index].real;
}

/* ---- properties of each call in the list ---- */

static unsigned class_of(unsigned index)
{
    static const struct {
        char kind[8];
        uint8_t klass;
    } kinds[] = {{"read", JST_DELAY_READ}, {"write", JST_DELAY_WRITE}, {"copy", JST_DELAY_WRITE},
                 {"open", JST_DELAY_OPEN}, {"close", JST_DELAY_CLOSE}, {"sync", JST_DELAY_SYNC},
                 {"meta", JST_DELAY_META}};
    bool wrapped =
        strcmp(entries[index].module, "posix") == 0 || strcmp(entries[index].module, "stdio") == 0;
    for (unsigned i = 0; wrapped && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(entries[index].kind, kinds[i].kind) == 0)
            return kinds[i].klass;
    return JST_DELAY_CLASSES;
}

/* "(int dir, const char *path, ...)": the parameter that names the file, by its declaration. */
static void find_target(unsigned index)
{
    static const struct {
        char text[20];
        uint8_t target;
    } forms[] = {
        {"int fd", DESCRIPTOR},     {"int out", DESCRIPTOR},    {"FILE *fp", STREAM},
        {"const char *path", PATH}, {"const char *from", PATH}, {"char *name", PATH},
    };
    unsigned klass = calls[index].klass;
    const char *p = entries[index].parameters + 1;
    for (uint8_t place = 0; *p; place++) {
        size_t n = strcspn(p, ",)");
        for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
            if (strlen(forms[i].text) == n && memcmp(p, forms[i].text, n) == 0) {
                calls[index].target = forms[i].target;
                calls[index].argument = place;
                return;
            }
        p += n;
        p += strspn(p, ",) ");
    }
    bool stream = strcmp(entries[index].module, "stdio") == 0;
    if (stream && klass == JST_DELAY_READ)
        calls[index].target = STDIN;
    else if (stream && klass == JST_DELAY_WRITE)
        calls[index].target = STDOUT;
}

static void *io(unsigned index, void *real)
{
    unsigned klass = index < JST_CALLS ? class_of(index) : JST_DELAY_CLASSES;
    if (klass == JST_DELAY_CLASSES || !(jst_rule.classes >> klass & 1))
        return real;
    calls[index].klass = (uint8_t)klass;
    calls[index].real = real;
    find_target(index);
    return (void *)(jst_inject_stubs + (size_t)index * JST_STUB_BYTES);
}

/* ---- the process ---- */

static void ranked(uint32_t world_rank)
{
    rank = world_rank;
    chosen = jst_rules_rank(rank);
    origin_ns = jst_now(CLOCK_MONOTONIC);
    initialised_ns = jst_now(CLOCK_REALTIME);
    if (jst_log) { /* the launcher had set nothing, or something else */
        jst_log->rank = (int32_t)world_rank;
        jst_log->ready_ns = initialised_ns;
        find_keys();
    }
}

static void forked(void)
{
    jst_log_leave();
    atomic_store(&ready, NOT_YET);
    initialised_ns = 0;
    origin_ns = jst_now(CLOCK_MONOTONIC);
}

/* The rank as set by the launcher of an MPI; many calls are before MPI_Init. */
static int64_t rank_from_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *v = getenv(names[i]);
        int64_t n = 0;
        if (!v || !*v)
            continue;
        for (; *v >= '0' && *v <= '9' && n < INT32_MAX / 16; v++)
            n = n * 10 + (*v - '0');
        if (!*v)
            return n;
    }
    return -1;
}

/* Programs that start the program, and are not part of it. */
static bool is_launcher(void)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orte", "prte",
                                        "prun",   "hydra_",  "srun", "ssh"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(program_invocation_short_name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

__attribute__((visibility("default"))) jst_inject_get_type jst_inject_get;

const jst_injector *jst_inject_get(const jst_inject_host *from)
{
    static const jst_injector injector = {
        .interface = JST_INJECT_INTERFACE,
        .size = sizeof injector,
        .io = io,
        .mpi = mpi,
        .ranked = ranked,
        .forked = forked,
    };
    char where[64];
    const char *text = getenv("JOSTLE_INJECT");
    if (!text)
        return NULL;
    stderr_identity(&error_device, &error_inode);
    if (from->interface != JST_INJECT_INTERFACE || from->size != sizeof *from) {
        jst_tell("another version of jostle profiles", program_invocation_short_name,
                 "than injects: no delays are injected");
        return NULL;
    }
    const char *wrong = jst_rules_read(text, where);
    if (wrong) {
        jst_tell("JOSTLE_INJECT:", where, wrong);
        return NULL;
    }
    if (is_launcher())
        return NULL;
    host = from;
    rank = rank_from_launcher();
    chosen = jst_rules_rank(rank);
    origin_ns = jst_now(CLOCK_MONOTONIC);
    return &injector;
}
