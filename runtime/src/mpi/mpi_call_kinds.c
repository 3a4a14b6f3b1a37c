/* mpi_call_kinds.c: the kinds of MPI calls that a process makes: function, call site and size class.
 *
 * Each has a hash that is the same on every rank, whatever addresses the loader chose, from which
 * the signatures of segments are made, and its usual duration. The table only grows; kinds beyond
 * it share one entry.
 */
#include <link.h>

#include "common.h"
#include "core.h"
#include "mpi_call_kinds.h"
#include "sys.h"
#include "text.h"

#define MODULES 512

JST_LARGE jst_site jst_sites[JST_SITES];

JST_LARGE static struct {
    uintptr_t begin, end;
    char name[32];
} modules[MODULES];
static _Atomic unsigned module_count;
static _Atomic uint32_t looking; /* one thread fills in the table of modules or of sites */
static jst_site overflow = {.func = "other", .hash = 1};
static uint32_t filled; /* of jst_sites; a table that is nearly full is not extended */

uint32_t jst_hash_text(const char *text)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 16777619u;
    return h;
}

static uint32_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(x ^ x >> 32);
}

/* ---- modules ---- */

static bool is_known(uintptr_t begin, size_t size, const char *path)
{
    unsigned n = atomic_load(&module_count);
    for (unsigned i = 0; i < n; i++)
        if (modules[i].begin == begin && modules[i].end == begin + size &&
            jst_begins_with(jst_base_name(path), modules[i].name))
            return true;
    return false;
}

/* Entries are never changed: other threads read them meanwhile. */
static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    unsigned n = atomic_load(&module_count);
    for (int i = 0; i < info->dlpi_phnum && n < MODULES; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        /* The base is where offset 0 of the file would be: offsets from it are the same on every
         * rank. */
        if (is_known(info->dlpi_addr + p->p_vaddr, p->p_memsz, info->dlpi_name))
            continue;
        modules[n].begin = info->dlpi_addr + p->p_vaddr;
        modules[n].end = modules[n].begin + p->p_memsz;
        const char *name = jst_base_name(info->dlpi_name);
        jst_put_text(modules[n].name, modules[n].name + sizeof modules[n].name, name);
        n++;
    }
    atomic_store(&module_count, n);
    return 0;
}

/* The newest first: a library may have the addresses of one that was unloaded. */
static int find_module(uintptr_t address)
{
    unsigned n = atomic_load(&module_count);
    for (unsigned i = n; i-- > 0;)
        if (address >= modules[i].begin && address < modules[i].end)
            return (int)i;
    return -1;
}

uint64_t jst_site_offset(uintptr_t address, const char **module)
{
    int i = find_module(address);
    *module = i < 0 ? "" : modules[i].name;
    return i < 0 ? 0 : address - modules[i].begin;
}

/* A library that was loaded after the table was made: it is made again. */
static void learn_modules(uintptr_t address)
{
    static unsigned tries;
    if (find_module(address) >= 0 || tries > 64)
        return;
    tries++;
    dl_iterate_phdr(note_module, NULL);
}

/* ---- sites ---- */

static bool lock(void)
{
    uint32_t no = 0;
    for (int i = 0; i < 1000; i++, no = 0) {
        if (atomic_compare_exchange_strong(&looking, &no, 1))
            return true;
        jst_sys0(SYS_sched_yield);
    }
    return false; /* a signal handler above ourselves, or a killed thread: continue without */
}

static jst_site *find_or_free(uint64_t key)
{
    unsigned at = (unsigned)(key >> (64 - JST_SITES_BITS));
    for (unsigned i = 0; i < 8; i++) {
        jst_site *s = &jst_sites[(at + i) % JST_SITES];
        uint64_t k = atomic_load(&s->key);
        if (k == key || k == 0)
            return s;
    }
    return NULL;
}

static void fill(jst_site *s, uintptr_t address, const char *func, unsigned klass, uint64_t bytes)
{
    const char *module;
    learn_modules(address);
    uint64_t offset = jst_site_offset(address, &module);
    uint64_t site = offset ^ (uint64_t)jst_hash_text(module) << 32;
    uint64_t kind = site * 31 + jst_hash_text(func);
    unsigned size_class = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    s->address = address;
    s->func = func;
    s->klass = (uint8_t)klass;
    s->bytes = bytes;
    s->bit = mix(kind) & 63;
    s->func_hash = jst_hash_text(func);
    s->hash = mix(kind * 67 + size_class + 1) | 1;
}

/* Called in the middle of the program's call: its error number must not change (no libc but
 * dl_iterate_phdr is called, which sets none). */
static JST_COLD jst_site *new_site(uint64_t key, uintptr_t address, const char *func,
                                   unsigned klass, uint64_t bytes)
{
    uint64_t signals;
    if (JST_LOAD(filled) > JST_SITES / 4 * 3 || !jst_may_syscall())
        return &overflow;
    jst_block_signals(&signals);
    jst_site *s = NULL;
    if (lock()) {
        s = find_or_free(key);
        if (s && atomic_load(&s->key) != key) {
            fill(s, address, func, klass, bytes);
            atomic_store_explicit(&s->key, key, memory_order_release);
            JST_STORE(filled, filled + 1);
        }
        atomic_store(&looking, 0);
    }
    jst_restore_signals(&signals);
    return s ? s : &overflow;
}

jst_site *jst_site_search(uint64_t key, uintptr_t address, const char *func, unsigned klass,
                          uint64_t bytes)
{
    jst_site *s = find_or_free(key);
    if (JST_LIKELY(s && atomic_load_explicit(&s->key, memory_order_acquire) == key))
        return s;
    return new_site(key, address, func, klass, bytes);
}
