/* next_symbol.c: finds the definition of a name that is after ours in the order of search.
 *
 * RATIONALE: dlsym takes the loader's lock, which a thread that loads a library holds while
 * constructors run; it clears the text that dlerror has for the program; it takes three times as
 * long for a name. So the tables that it reads are read here: libraries loaded at the start, in
 * their order, each with its GNU hash table. The loader never unloads them, so their part of its
 * list does not change. Where one has no such table, or a name is no plain function, or an auditor
 * (LD_AUDIT) must be called, nothing is found, and dlsym is used.
 */
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "common.h"
#include "next_symbol.h"
#include "text.h"

#define HIDDEN 0x8000u /* of a symbol's version: an older one than the default */
#define WORD_BITS (8u * sizeof(ElfW(Addr)))

/* The loader's list. Weak: musl's loader has another name for it, and would refuse a library that needs glibc's. */
#pragma weak _r_debug

static const struct link_map *ours, *last;
static ElfW(Addr) vdso;

void jst_next_begin(void)
{
    const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;
    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    if (!map || jst_env("LD_AUDIT"))
        return;
    vdso = getauxval(AT_SYSINFO_EHDR);
    for (last = map; last->l_next; last = last->l_next)
        ;
    ours = map;
}

static const void *dynamic(const struct link_map *map, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_ptr < map->l_addr ? NULL : (const void *)d->d_un.d_ptr;
    return NULL;
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static bool may_have(const uint32_t *table, uint32_t hash)
{
    const ElfW(Addr) *bloom = (const void *)(table + 4);
    ElfW(Addr) word = bloom[hash / WORD_BITS % table[2]];
    return word >> hash % WORD_BITS & word >> (hash >> table[3]) % WORD_BITS & 1;
}

/* In a hash table: number of buckets, of the first symbol in it, of words of the filter, its shift; the
 * filter, the buckets, and from the first symbol on the hash of each, whose last bit ends a chain. */
static const ElfW(Sym) *
    defined(const struct link_map *map, const uint32_t *table, const char *name, uint32_t hash)
{
    const ElfW(Sym) *symbols = dynamic(map, DT_SYMTAB);
    const char *strings = dynamic(map, DT_STRTAB);
    const ElfW(Half) *versions = dynamic(map, DT_VERSYM);
    const uint32_t *buckets = (const void *)((const ElfW(Addr) *)(table + 4) + table[2]);
    const uint32_t *chains = buckets + table[0];
    uint32_t i = buckets[hash % table[0]];
    if (i < table[1])
        return NULL;
    for (;; i++) {
        uint32_t chain = chains[i - table[1]];
        if ((chain | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF &&
            !(versions && versions[i] & HIDDEN) &&
            jst_str_equal(strings + symbols[i].st_name, name))
            return &symbols[i];
        if (chain & 1)
            return NULL;
    }
}

void *jst_next_find(const char *name)
{
    const uint32_t hash = hash_of(name);
    for (const struct link_map *map = ours; map && map != last;) {
        map = map->l_next;
        if (map->l_addr == vdso) /* no search reaches it */
            continue;
        const uint32_t *table = dynamic(map, DT_GNU_HASH);
        if (!table || table[0] == 0 || table[2] == 0)
            return NULL;
        const ElfW(Sym) *symbol = may_have(table, hash) ? defined(map, table, name, hash) : NULL;
        if (symbol) /* the type's offset is the same in both sizes of ELF */
            return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
                       ? (void *)(map->l_addr + symbol->st_value)
                       : NULL;
    }
    return NULL;
}
