/* papi.c: counts events that JOSTLE_PAPI names by PAPI, between MPI_Init and MPI_Finalize.
 *
 * The library is loaded by dlopen, in the thread that called MPI_Init: this is in no signal
 * handler, and no short-lived process gets there. That thread and those that it makes afterwards
 * are counted (PAPI_INHERIT, where the component can). A program that has PAPI itself is left
 * alone: one thread cannot run two sets of events.
 *
 * RATIONALE: PAPI keeps its descriptors among those of the program, which may close them and open
 * its own under the same numbers, as may our heartbeat with its counters (perf.c). So before each
 * reading it is checked which counters they are, by the numbers that the kernel gives to counters.
 * PAPI's own calls are counted in a block that is not read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "papi.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#if JST_WITH_PAPI

#define EVENTS 4
#define FDS 16
#define BOUNDARY_NS 10000000 /* segments are five times as long, unless all are requested */
#define FIRST_BIT 8          /* in perf_asked and perf_granted */

/* Of papi.h, where they have kept their values since version 5. */
#define PAPI_OK 0
#define PAPI_NULL (-1)
#define PAPI_LIB_VERSION 21
#define PAPI_INHERIT 28
#define PAPI_INHERIT_ALL 1

typedef union option {
    struct {
        int set, inherit;
    } inherit;
    uint64_t room[128]; /* PAPI_option_t has 264 bytes in version 7 */
} option;

static struct {
    int (*get_opt)(int option, void *value);
    int (*set_opt)(int option, void *value);
    int (*library_init)(int version);
    int (*create_eventset)(int *set);
    int (*assign_eventset_component)(int set, int component);
    int (*add_named_event)(int set, const char *name);
    int (*cleanup_eventset)(int set);
    int (*destroy_eventset)(int *set);
    int (*start)(int set);
    int (*stop)(int set, long long *values);
    int (*read)(int set, long long *values);
    char *(*strerror)(int error);
} papi;

static struct {
    jst_block *owner; /* NULL: nothing is counted */
    int pid, set;
    unsigned count;         /* events in the set, */
    unsigned cell[EVENTS];  /* where each belongs, */
    long long last[EVENTS]; /* and its last value */
    uint64_t read;          /* ticks of the last reading */
    int fds[FDS];
    uint64_t ids[FDS]; /* the kernel's numbers of these counters */
    unsigned fd_count;
} now;

JST_LARGE static jst_block nobody; /* what PAPI itself does */
static char note[400];
static const char *_Atomic unsaid;

/* ---- notes in the profile ---- */

static void say(const char *what, const char *name)
{
    const char *end = note + sizeof note;
    char *p = note + jst_strlen(note);
    p = jst_put_text(p, end, p == note ? "papi: " : "; ");
    if (name) {
        p = jst_put_text(p, end, name);
        p = jst_put_text(p, end, ": ");
    }
    jst_put_text(p, end, what);
}

/* ---- descriptors ---- */

static bool is_event(int fd)
{
    static const char target[] = "anon_inode:[perf_event]";
    char path[40], link[32];
    char *p = jst_put_text(path, path + sizeof path, "/proc/self/fd/");
    jst_put_number(p, path + sizeof path, (uint64_t)fd);
    long n = jst_sys4(SYS_readlinkat, AT_FDCWD, path, link, sizeof link);
    if (n != sizeof target - 1)
        return false;
    for (long i = 0; i < n; i++)
        if (link[i] != target[i])
            return false;
    return true;
}

/* The kernel's number of a counter; 0: it is none, or the kernel is older than 3.12. */
static uint64_t event_id(int fd)
{
    uint64_t id = 0;
    return jst_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

/* Those of the process that are counters; at most FDS. */
static unsigned list_events(int *fds)
{
    uint8_t buffer[4096] __attribute__((aligned(8)));
    unsigned n = 0;
    int dir = jst_openat(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (dir < 0)
        return 0;
    for (long got; (got = jst_sys3(SYS_getdents64, dir, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < got;) {
            const uint8_t *entry =
                buffer + at; /* u64 inode, u64 offset, u16 length, u8 type, name */
            int fd = 0;
            const char *p = (const char *)entry + 19;
            for (; *p >= '0' && *p <= '9'; p++)
                fd = fd * 10 + (*p - '0');
            if (p != (const char *)entry + 19 && n < FDS && is_event(fd))
                fds[n++] = fd;
            at += *(const uint16_t *)(entry + 16);
        }
    jst_close(dir);
    return n;
}

static void remember_fds(const int *before, unsigned n)
{
    int after[FDS];
    unsigned m = list_events(after);
    now.fd_count = 0;
    for (unsigned i = 0; i < m; i++) {
        bool old = false;
        for (unsigned j = 0; j < n; j++)
            old = old || before[j] == after[i];
        if (old)
            continue;
        now.ids[now.fd_count] = event_id(after[i]);
        now.fds[now.fd_count++] = after[i];
    }
}

static bool fds_are_ours(void)
{
    for (unsigned i = 0; i < now.fd_count; i++)
        if (!is_event(now.fds[i]) || event_id(now.fds[i]) != now.ids[i])
            return false;
    return true;
}

/* ---- the library ---- */

static const char *const libraries[] = {"libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2",
                                        "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
                                        "libpapi.so.5",   "libpapi.so"};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

static bool program_has_papi(void)
{
    if (dlsym(RTLD_DEFAULT, "PAPI_library_init") != NULL)
        return true;
    for (unsigned i = 0; i < LIBRARIES; i++) {
        void *handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle == NULL)
            continue;
        dlclose(handle);
        return true;
    }
    return false;
}

/* The first function that is not there, or NULL. */
static const char *find_functions(void *library)
{
    const struct {
        const char *name;
        void *place;
    } wanted[] = {
        {"PAPI_get_opt", &papi.get_opt},
        {"PAPI_set_opt", &papi.set_opt},
        {"PAPI_library_init", &papi.library_init},
        {"PAPI_create_eventset", &papi.create_eventset},
        {"PAPI_assign_eventset_component", &papi.assign_eventset_component},
        {"PAPI_add_named_event", &papi.add_named_event},
        {"PAPI_cleanup_eventset", &papi.cleanup_eventset},
        {"PAPI_destroy_eventset", &papi.destroy_eventset},
        {"PAPI_start", &papi.start},
        {"PAPI_stop", &papi.stop},
        {"PAPI_read", &papi.read},
        {"PAPI_strerror", &papi.strerror},
    };
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *f = dlsym(library, wanted[i].name);
        if (f == NULL)
            return wanted[i].name;
        jst_copy(wanted[i].place, &f, sizeof f);
    }
    return NULL;
}

/* Writes an error as a note. */
static bool load(void)
{
    void *library = NULL;
    if (program_has_papi()) {
        say("the program uses PAPI itself; nothing is counted", NULL);
        return false;
    }
    for (unsigned i = 0; i < LIBRARIES && library == NULL; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        say("the library was not found; install libpapi, or name its folder in LD_LIBRARY_PATH",
            "libpapi.so");
        return false;
    }
    const char *lacking = find_functions(library);
    if (lacking) {
        say("the library lacks it", lacking);
        return false;
    }
    int version = papi.get_opt(PAPI_LIB_VERSION, NULL) & (int)0xffff0000;
    int got = papi.library_init(version);
    if (got <= 0 || got != version) {
        say(got < 0 ? papi.strerror(got) : "version mismatch", "PAPI_library_init");
        return false;
    }
    return true;
}

/* ---- events ---- */

static const char *error_text(int error)
{
    const char *text = papi.strerror(error);
    return text ? text : "refused";
}

/* A new set in now.set with the available ones of the requested events. inherited: threads made
 * later are counted, too; component 0 counts by the processor, others cannot do it. Errors are
 * noted. */
static void fill_set(bool inherited, bool report)
{
    option o;
    now.set = PAPI_NULL;
    now.count = 0;
    if (papi.create_eventset(&now.set) != PAPI_OK)
        return;
    if (inherited) {
        jst_zero(&o, sizeof o);
        o.inherit.set = now.set;
        o.inherit.inherit = PAPI_INHERIT_ALL;
        if (papi.assign_eventset_component(now.set, 0) != PAPI_OK ||
            papi.set_opt(PAPI_INHERIT, &o) != PAPI_OK)
            return;
    }
    for (unsigned i = 0; i < EVENTS && jst_a.head.papi_names[i][0]; i++) {
        char name[sizeof jst_a.head.papi_names[i]];
        jst_copy(name, jst_a.head.papi_names[i], sizeof name);
        int error = papi.add_named_event(now.set, name);
        if (error == PAPI_OK)
            now.cell[now.count++] = i;
        else if (report)
            say(error_text(error), name);
    }
}

static void drop_set(void)
{
    if (now.set == PAPI_NULL)
        return;
    papi.cleanup_eventset(now.set);
    papi.destroy_eventset(&now.set);
    now.set = PAPI_NULL;
}

static bool start_events(void)
{
    int before[FDS];
    unsigned n = list_events(before);
    fill_set(true, false);
    bool inherited = now.count > 0;
    drop_set();
    fill_set(inherited, true);
    int error = now.count > 0 ? papi.start(now.set) : PAPI_OK;
    if (error != PAPI_OK)
        say(error_text(error), "PAPI_start");
    if (now.count == 0 || error != PAPI_OK) {
        drop_set();
        return false;
    }
    if (!inherited)
        say("these events cannot follow threads: only the one that called MPI_Init is counted",
            NULL);
    remember_fds(before, n);
    return true;
}

static void names_to_head(void)
{
    const char *from = jst_cfg.papi;
    for (unsigned i = 0; i < EVENTS && *from; i++) {
        char *name = jst_a.head.papi_names[i];
        size_t n = 0;
        for (; *from && *from != ','; from++)
            if (n + 1 < sizeof jst_a.head.papi_names[i])
                name[n++] = *from;
        name[n] = 0;
        from += *from == ',';
        jst_a.head.perf_asked |= 1u << (FIRST_BIT + i);
    }
}

const char *jst_module_papi_missing(bool ending)
{
    if (ending && jst_cfg.papi[0] && !jst_a.head.papi_names[0][0]) {
        names_to_head();
        return "papi: events are counted in MPI programs only, from MPI_Init on";
    }
    return atomic_exchange(&unsaid, NULL);
}

void jst_papi_begin(void)
{
    jst_block *mine = jst_tls_block;
    if (jst_cfg.papi[0] == 0 || mine == NULL || now.owner != NULL ||
        atomic_load(&jst_state) != JST_RUNNING || !jst_may_syscall())
        return;
    int saved = errno;
    names_to_head();
    jst_tls_block = &nobody;
    note[0] = 0;
    if (load() && start_events()) {
        static const unsigned cells[EVENTS] = {JST_CELL_PAPI_1_COUNT, JST_CELL_PAPI_2_COUNT,
                                               JST_CELL_PAPI_3_COUNT, JST_CELL_PAPI_4_COUNT};
        for (unsigned i = 0; i < now.count; i++) {
            jst_a.head.perf_granted |= 1u << (FIRST_BIT + now.cell[i]);
            now.cell[i] = cells[now.cell[i]];
            now.last[i] = 0;
        }
        now.pid = jst_now_life.pid;
        now.read = 0;
        now.owner = mine;
    }
    jst_tls_block = mine;
    if (note[0])
        atomic_store(&unsaid, note);
    errno = saved;
}

static void take(jst_block *b, const long long *values)
{
    for (unsigned i = 0; i < now.count; i++)
        if (values[i] > now.last[i]) {
            jst_add(&b->cells[now.cell[i]], (uint64_t)(values[i] - now.last[i]));
            now.last[i] = values[i];
        }
}

static void read_events(jst_block *b, int (*how)(int set, long long *values))
{
    long long values[EVENTS] = {0};
    int saved = errno;
    jst_tls_block = &nobody;
    if (!fds_are_ours()) {
        now.owner = NULL;
        atomic_store(&unsaid, "papi: the program closed PAPI's descriptors; counting ended there");
    } else if (how(now.set, values) == PAPI_OK) {
        take(b, values);
    }
    jst_tls_block = b;
    errno = saved;
}

/* The owner's block may have another owner by now, and a forked child has one of the same address. */
static bool is_mine(const jst_block *b)
{
    return b == now.owner && now.pid == jst_now_life.pid && b == jst_tls_block;
}

static void read_if_older(jst_block *b, uint64_t ns)
{
    uint64_t ticks = jst_ticks();
    uint64_t age = (uint64_t)(((unsigned __int128)ns << 32) / jst_tick_ns);
    if (ticks - now.read < age || !is_mine(b) || !jst_may_syscall())
        return;
    now.read = ticks;
    read_events(b, papi.read);
}

void jst_papi_sample(jst_block *b)
{
    if (JST_UNLIKELY(b == now.owner && now.owner != NULL))
        read_if_older(b, jst_cfg.slice_ns);
}

void jst_papi_boundary(jst_block *b)
{
    if (JST_UNLIKELY(b == now.owner && now.owner != NULL))
        read_if_older(b, BOUNDARY_NS);
}

void jst_papi_finish(jst_block *b)
{
    if (b == NULL || !is_mine(b) || !jst_may_syscall())
        return;
    read_events(b, papi.stop);
    if (now.owner == NULL)
        return;
    now.owner = NULL;
    jst_tls_block = &nobody;
    drop_set();
    jst_tls_block = b;
}

#else

void jst_papi_begin(void) {}

void jst_papi_sample(jst_block *b)
{
    (void)b;
}

void jst_papi_boundary(jst_block *b)
{
    (void)b;
}

void jst_papi_finish(jst_block *b)
{
    (void)b;
}

const char *jst_module_papi_missing(bool ending)
{
    (void)ending;
    return NULL;
}

#endif
