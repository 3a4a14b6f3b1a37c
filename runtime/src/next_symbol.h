/* next_symbol.h: looks up definitions after ours without dlsym. */
#ifndef JST_NEXT_H
#define JST_NEXT_H

#include <link.h>
#include <stdint.h>

#define JST_NEXT_OBJECTS 512

/** The dynamic symbol table of one library, as the loader mapped it. */
typedef struct jst_symbols {
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Half) * versions;
    const ElfW(Addr) * bloom;
    const uint32_t *buckets, *chains;
    uint32_t bucket_count, bloom_count, bloom_shift, first;
} jst_symbols;

typedef struct jst_next {
    jst_symbols objects[JST_NEXT_OBJECTS];
    uint32_t count;
} jst_next;

/** Collects the libraries loaded after this one. Call it before the program loads any by dlopen. */
void jst_next_open(jst_next *next);

/** Returns the function that dlsym(RTLD_NEXT, name) would find; NULL if dlsym has to be asked. */
void *jst_next_find(const jst_next *next, const char *name);

#endif
