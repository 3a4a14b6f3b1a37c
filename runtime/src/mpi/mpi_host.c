/* mpi_host.c: at the first call of an MPI function: chooses the adapter for this MPI, and the
 * target of the call.
 *
 * A slot has the adapter's wrapper, or the real function where there is no adapter or jostle is
 * off. While the process has no MPI at all, nothing is decided: it may load one later.
 */
#include <dlfcn.h>
#include <errno.h>

#include "block.h"
#include "config.h"
#include "core.h"
#include "inject.h"
#include "mpi_account.h"
#include "mpi_host.h"
#include "peers.h"
#include "process/left.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#define PREFIX "libjostle-"
#define SUFFIX ".so"
#define ADAPTERS 32

extern void *jst_mpi_slots[];

static const jst_mpi_adapter *adapter;
static const jst_mpi_adapter *stopgap; /* when there is no adapter: for names that the MPI lacks */
static _Atomic bool chosen;            /* the adapter has been chosen */
static _Atomic uint32_t seeker;        /* thread that chooses it */

static jst_mpi_host host; /* filled in when needed: initialised, it would cost relocations */

static void fill_host(void)
{
    host = (jst_mpi_host){
        .interface = JST_MPI_INTERFACE,
        .size = sizeof(jst_mpi_host),
        .enter = jst_inject_enter(),
        .leave = jst_mpi_leave,
        .left = jst_call_left,
        .count = jst_mpi_count,
        .arrived = jst_mpi_arrived,
        .sent = jst_peer_sent,
        .received = jst_peer_received,
        .collective = jst_peer_collective,
        .communicator = jst_peer_communicator,
        .real = jst_mpi_real,
        .initialising = jst_mpi_initialising,
        .initialised = jst_mpi_initialised,
        .finalising = jst_mpi_finalising,
        .finalised = jst_mpi_finalised,
        .peers = jst_cfg.peers,
        .outer = (intptr_t)&jst_tls_outer - (intptr_t)__builtin_thread_pointer(),
    };
}

/* A substitute for a missing function: an error of class MPI_ERR_OTHER where an int is returned. */
static int missing(void)
{
    return 16;
}

/* ---- adapters in the folder of libjostle.so ---- */

struct adapters {
    char folder[3072];
    char names[ADAPTERS][64]; /* the text between prefix and suffix */
    unsigned count;
};

static uint64_t hex_of(const char **text)
{
    uint64_t n = 0;
    for (const char *p = *text;; *text = ++p) {
        if (*p >= '0' && *p <= '9')
            n = n << 4 | (uint64_t)(*p - '0');
        else if (*p >= 'a' && *p <= 'f')
            n = n << 4 | (uint64_t)(*p - 'a' + 10);
        else
            return n;
    }
}

/* The file that an address is mapped from, as the kernel names it. */
static void mapped_file(const void *address, char *path, const char *end)
{
    enum { ROOM = 1 << 20 };
    char *maps = (char *)jst_sys6(SYS_mmap, 0, ROOM, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    path[0] = 0;
    if ((long)maps < 0 && (long)maps > -4096)
        return;
    jst_read_file("/proc/self/maps", maps, ROOM);
    for (const char *line = maps; *line; line += *line == '\n') {
        uint64_t from = hex_of(&line), until = *line == '-' ? (line++, hex_of(&line)) : 0;
        bool here = from <= (uintptr_t)address && (uintptr_t)address < until;
        while (*line && *line != '\n' && *line != '/')
            line++;
        char *p = path;
        for (; *line && *line != '\n'; line++)
            if (here && p + 1 < end)
                *p++ = *line;
        if (here) {
            *p = 0;
            break;
        }
    }
    jst_sys2(SYS_munmap, maps, ROOM);
}

/* The loader's path may be relative to a folder that the program has left. */
static bool own_folder(char *folder, const char *end)
{
    Dl_info info;
    folder[0] = 0;
    if (dladdr((void *)missing, &info) && info.dli_fname)
        jst_put_text(folder, end, info.dli_fname);
    if (folder[0] != '/')
        mapped_file((void *)missing, folder, end);
    folder[jst_library_folder(folder)] = 0;
    return folder[0] == '/';
}

static void take_name(struct adapters *a, const char *file)
{
    if (!jst_begins_with(file, PREFIX) || a->count == ADAPTERS)
        return;
    file += sizeof PREFIX - 1;
    size_t n = jst_strlen(file);
    if (n <= sizeof SUFFIX - 1 || n >= sizeof a->names[0])
        return;
    n -= sizeof SUFFIX - 1;
    if (!jst_str_equal(file + n, SUFFIX))
        return;
    char *name = a->names[a->count];
    jst_copy(name, file, n);
    name[n] = 0;
    if (!jst_str_equal(name, "decode") && !jst_str_equal(name, "timer"))
        a->count++;
}

static void list_adapters(struct adapters *a)
{
    char buffer[4096] __attribute__((aligned(8)));
    a->count = 0;
    if (!own_folder(a->folder, a->folder + sizeof a->folder - 128))
        return;
    int dir = jst_openat(AT_FDCWD, a->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    for (long n; dir >= 0 && (n = jst_sys3(SYS_getdents64, dir, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n; at += ((jst_entry *)(buffer + at))->length)
            take_name(a, ((jst_entry *)(buffer + at))->name);
    if (dir >= 0)
        jst_close(dir);
}

/* Is it in the text, whatever the case of letters and the spaces there? */
static bool is_in(const char *text, const char *word, size_t length)
{
    for (; *text; text++) {
        size_t n = 0;
        for (const char *t = text; *t && n < length; t++) {
            char c = *t >= 'A' && *t <= 'Z' ? (char)(*t + 32) : *t;
            if (c != ' ' && c != word[n])
                break;
            n += c != ' ';
        }
        if (n == length)
            return true;
    }
    return false;
}

/* The names to try first: "openmpi-5.0", then "openmpi", for "Open MPI v5.0.3, ...". */
static int likeness(const char *name, const char *version)
{
    size_t family = 0;
    while (name[family] && name[family] != '-')
        family++;
    if (!is_in(version, name, family))
        return 0;
    const char *number = name[family] ? name + family + 1 : "";
    return *number && is_in(version, number, jst_strlen(number)) ? 2 : 1;
}

/* The adapter in a library in our folder; *object is its handle, NULL where there is no such
 * library. */
static const jst_mpi_adapter *open_adapter(const char *folder, const char *prefix, const char *name,
                                           void **object)
{
    char path[3328];
    const char *end = path + sizeof path;
    char *p = jst_put_text(jst_put_text(path, end, folder), end, prefix);
    jst_put_text(jst_put_text(p, end, name), end, SUFFIX);
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*object)
        return NULL;
    jst_mpi_adapter_get_type *get =
        (jst_mpi_adapter_get_type *)dlsym(*object, "jst_mpi_adapter_get");
    const jst_mpi_adapter *a = get ? get(&host) : NULL;
    bool alike = a && a->interface == JST_MPI_INTERFACE && a->size == sizeof *a;
    return alike ? a : NULL;
}

/* NULL: it does not fit; its library is closed again. */
static const jst_mpi_adapter *try_adapter(const char *folder, const char *name, const char *version,
                                          bool *refused)
{
    void *object;
    const jst_mpi_adapter *a = open_adapter(folder, PREFIX, name, &object);
    if (a && a->fits(version))
        return a;
    *refused |= object && !a;
    if (object)
        dlclose(object);
    return NULL;
}

/* Where there is none: names that the MPI lacks are implemented by those that it has
 * (mpi/large). */
static const jst_mpi_adapter *find_stopgap(void)
{
    char folder[3072];
    void *object;
    return own_folder(folder, folder + sizeof folder)
               ? open_adapter(folder, "libjostle_", "large", &object)
               : NULL;
}

static const jst_mpi_adapter *find_adapter(const char *version, bool *refused)
{
    struct adapters all;
    list_adapters(&all);
    for (int like = 2; like >= 0; like--)
        for (unsigned i = 0; i < all.count; i++) {
            if (likeness(all.names[i], version) != like)
                continue;
            const jst_mpi_adapter *a = try_adapter(all.folder, all.names[i], version, refused);
            if (a) {
                jst_put_text(jst_a.head.mpi_adapter_name,
                             jst_a.head.mpi_adapter_name + sizeof jst_a.head.mpi_adapter_name,
                             all.names[i]);
                return a;
            }
        }
    return NULL;
}

/* ---- its description in the profile ---- */

/* "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n...": the first words identify it. */
static void library_to_head(const char *version)
{
    char *to = jst_a.head.mpi_library, *end = to + sizeof jst_a.head.mpi_library - 1;
    while (*version && *version != ',' && *version != '\n' && to < end) {
        char c = *version++;
        *to++ = c == '\t' ? ' ' : c;
    }
    *to = 0;
}

static uint32_t number_of(const char *const *names)
{
    for (; *names; names++) {
        const char *v = jst_env(*names);
        uint32_t n = 0;
        for (; v && *v >= '0' && *v <= '9'; v++)
            n = n * 10 + (uint32_t)(*v - '0');
        if (n)
            return n;
    }
    return 0;
}

/* Without an adapter the MPI is not queried; its launcher has set them. */
static void world_to_head(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                        "PMIX_RANK", NULL};
    jst_a.head.world_size = number_of(sizes);
    jst_a.head.world_rank = number_of(ranks);
}

static void choose(void)
{
    char version[JST_MPI_VERSION_BYTES];
    bool refused = false;
    jst_mpi_keep_loaded();
    jst_mpi_version(version, sizeof version);
    fill_host();
    adapter = find_adapter(version, &refused);
    if (!adapter)
        stopgap = find_stopgap();
    if (atomic_load(&jst_state) == JST_OFF)
        return;
    library_to_head(version);
    if (adapter) {
        jst_a.head.mpi_adapter = JST_ADAPTER_LOADED;
    } else {
        world_to_head();
        jst_a.head.mpi_adapter = refused ? JST_ADAPTER_REFUSED : JST_ADAPTER_LACKING;
    }
}

/* ---- the target of a call ---- */

/* False: this very thread is choosing already (a tool's constructor calls MPI). */
static bool settle(void)
{
    uint32_t me = (uint32_t)jst_gettid(), other = 0;
    struct timespec moment = {0, 100000};
    if (atomic_load_explicit(&chosen, memory_order_acquire))
        return true;
    while (!atomic_compare_exchange_strong(&seeker, &other, me)) {
        if (other == me)
            return false;
        if (jst_sys3(SYS_tgkill, jst_getpid(), other, 0) == -ESRCH) /* we are its fork */
            atomic_compare_exchange_strong(&seeker, &other, 0);
        else
            jst_sys2(SYS_nanosleep, &moment, NULL);
        other = 0;
    }
    if (!atomic_load(&chosen)) {
        choose();
        atomic_store(&chosen, true);
    }
    atomic_store(&seeker, 0);
    return true;
}

/* The target of a name. *final: for good. */
static void *target(unsigned index, const char *name, bool *final)
{
    extern char **environ;
    *final = false;
    if (!jst_mpi_found()) { /* not an MPI's, or there is none yet */
        void *other = jst_mpi_real(name);
        *final = other != NULL;
        return other ? other : (void *)missing;
    }
    void *real = jst_mpi_real(name);
    if (!jst_wipe.mask)
        jst_come_up();
    bool off = atomic_load(&jst_state) == JST_OFF;
    if (real && (off || (!jst_mpi_name_is_c(name) && !jst_mpi_owns(real)))) {
        *final = true;
        return real;
    }
    if (!environ || jst_tls_vfork || !settle())
        return real ? real : (void *)missing;
    *final = true;
    const jst_mpi_adapter *a = adapter ? adapter : stopgap;
    void *wrapper = a ? a->wrapper(index, real) : NULL;
    if (wrapper || real)
        return wrapper ? wrapper : real;
    return (void *)missing;
}

void *jst_mpi_first(unsigned index)
{
    int saved = errno;
    bool final;
    void *p = target(index, jst_mpi_name(index), &final);
    if (final)
        __atomic_store_n(&jst_mpi_slots[index], p, __ATOMIC_RELEASE);
    errno = saved;
    return p;
}
