/* next_symbol.c: the definition of a name that comes after ours in the order of search.
 *
 * RATIONALE: dlsym takes the loader's lock, which whoever loads a library holds while constructors
 * run; it drops the text that dlerror has for the program; a name costs it three times as much. So
 * the tables that it reads are read here: libraries loaded at the start, in their order, each with
 * its GNU hash table. Where one has none, or a name stands for no plain function, or an auditor
 * (LD_AUDIT) wants to be asked, nothing is found, and dlsym is left to answer.
 */
#include "next_symbol.h"
#include "common.h"
#include "text.h"

#include <sys/auxv.h>

#define HIDDEN 0x8000u /* of a symbol's version: an older one than the default */
#define WORD_BITS (8u * sizeof(ElfW(Addr)))

static const void *dynamic(const struct link_map *map, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_ptr < map->l_addr ? NULL : (const void *)d->d_un.d_ptr;
    return NULL;
}

static bool open_symbols(const struct link_map *map, jst_symbols *s)
{
    const uint32_t *hash = dynamic(map, DT_GNU_HASH);
    *s = (jst_symbols){.base = map->l_addr,
                       .symbols = dynamic(map, DT_SYMTAB),
                       .strings = dynamic(map, DT_STRTAB),
                       .versions = dynamic(map, DT_VERSYM)};
    if (!hash || !s->symbols || !s->strings || hash[0] == 0 || hash[2] == 0)
        return false;
    s->bucket_count = hash[0];
    s->first = hash[1];
    s->bloom_count = hash[2];
    s->bloom_shift = hash[3];
    s->bloom = (const void *)(hash + 4);
    s->buckets = (const void *)(s->bloom + s->bloom_count);
    s->chains = s->buckets + s->bucket_count;
    return true;
}

void jst_next_open(jst_next *next)
{
    const struct link_map *map = _r_debug.r_map;
    const ElfW(Addr) vdso = getauxval(AT_SYSINFO_EHDR);
    next->count = 0;
    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    if (!map || jst_env("LD_AUDIT"))
        return;
    while ((map = map->l_next) && next->count < JST_NEXT_OBJECTS) {
        if (map->l_addr == vdso) /* nobody's search comes there */
            continue;
        if (!open_symbols(map, &next->objects[next->count]))
            return;
        next->count++;
    }
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static bool may_have(const jst_symbols *s, uint32_t hash)
{
    ElfW(Addr) word = s->bloom[hash / WORD_BITS % s->bloom_count];
    return word >> hash % WORD_BITS & word >> (hash >> s->bloom_shift) % WORD_BITS & 1;
}

static const ElfW(Sym) * defined(const jst_symbols *s, const char *name, uint32_t hash)
{
    uint32_t i = may_have(s, hash) ? s->buckets[hash % s->bucket_count] : 0;
    if (i < s->first)
        return NULL;
    for (;; i++) {
        uint32_t chain = s->chains[i - s->first];
        const ElfW(Sym) *symbol = &s->symbols[i];
        if ((chain | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            !(s->versions && s->versions[i] & HIDDEN) &&
            jst_str_equal(s->strings + symbol->st_name, name))
            return symbol;
        if (chain & 1)
            return NULL;
    }
}

void *jst_next_find(const jst_next *next, const char *name)
{
    const uint32_t hash = hash_of(name);
    for (uint32_t i = 0; i < next->count; i++) {
        const ElfW(Sym) *symbol = defined(&next->objects[i], name, hash);
        if (symbol) /* the type's place is the same in both sizes of ELF */
            return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
                       ? (void *)(next->objects[i].base + symbol->st_value)
                       : NULL;
    }
    return NULL;
}
