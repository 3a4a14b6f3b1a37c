/* jst_inject.h: the interface between libjostle.so and libjostle_inject.so, which delays calls on
 * purpose.
 *
 * The injector is preloaded after libjostle.so and exports one function, jst_inject_get. Where it
 * is loaded, libjostle.so gets from it the functions that its wrappers call in place of the real
 * I/O functions, and calls it in every outermost MPI call, once the call's time has begun to count.
 * Otherwise nothing differs: wrappers call the real functions, and no wrapper checks whether it is
 * loaded.
 */
#ifndef JST_INJECT_H
#define JST_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#define JST_INJECT_INTERFACE 1u

/* The functions of libjostle.so. */
typedef struct jst_inject_host {
    uint32_t interface, size; /* JST_INJECT_INTERFACE, sizeof(jst_inject_host) */
    /** Whether the calling thread is in an I/O call that is counted and timed, and in no MPI call. */
    bool (*timed)(void);
    /** Whether a descriptor is a file or folder of a mount. Remembers nothing: it may be about to be
     *  closed. */
    bool (*is_file)(int fd);
} jst_inject_host;

/* The functions of the injector. */
typedef struct jst_injector {
    uint32_t interface, size;
    /** Returns what to call in place of real, entry index of calls.def; real itself where no delay
     * is due. */
    void *(*io)(unsigned index, void *real);
    /** In an outermost MPI call of a class (enum jst_mpi_class); func is a static string. */
    void (*mpi)(unsigned klass, const char *func);
    /** MPI_Init is done. */
    void (*ranked)(uint32_t rank);
    /** This is a forked child. */
    void (*forked)(void);
} jst_injector;

typedef const jst_injector *jst_inject_get_type(const jst_inject_host *host);

#endif
