/* common.h: macros that every part of libjostle may use: attributes, hints, build options. */
#ifndef JST_COMMON_H
#define JST_COMMON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JST_EXPORT __attribute__((visibility("default")))
#define JST_SLOW __attribute__((noinline))
#define JST_INLINE static inline __attribute__((always_inline))
/* Keeps a pointer in a register: else the compiler computes the address again for each field. */
#define JST_KEEP(pointer) __asm__("" : "+r"(pointer))
/* Of variables that a header declares: without it the compiler must expect another object to define them,
 * and takes their address from a table. */
#define JST_HIDDEN __attribute__((visibility("hidden")))
#define JST_COLD __attribute__((noinline, cold))
/* Of variables of more than a page or so: they come last (jostle.ld), so that the small ones share few
 * pages. */
#define JST_LARGE __attribute__((section(".bss.large")))
/* Of large ones whose content is not needed from one call to the next, and that are rarely used:
 * their pages are released (release_pages.c). */
#define JST_SCRATCH __attribute__((section(".bss.scratch")))
#define JST_LIKELY(x) __builtin_expect(!!(x), 1)
#define JST_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Modules may be left out at build time (CMake: JOSTLE_WITH_...). */
#ifndef JST_WITH_OS
#define JST_WITH_OS 1
#endif
#ifndef JST_WITH_PERF
#define JST_WITH_PERF 1
#endif
#ifndef JST_WITH_PAPI
#define JST_WITH_PAPI 1
#endif

/* Words that one thread writes and another may read meanwhile. */
#define JST_STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
#define JST_LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
/* The same on the path of every call: compilers use a separate instruction for an atomic load, and
 * do not compare with memory directly. */
#ifdef __SANITIZE_THREAD__
#define JST_PEEK(type, word) __atomic_load_n((const type *)&(word), __ATOMIC_RELAXED)
#else
#define JST_PEEK(type, word) (*(const type *)&(word))
#endif

#endif
