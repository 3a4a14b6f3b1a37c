/* inject.h: connects libjostle.so to the injector of delays, if one is loaded (inject.c). */
#ifndef JST_INJECT_SIDE_H
#define JST_INJECT_SIDE_H

#include <stdbool.h>
#include <stdint.h>

struct jst_mpi_call;
typedef bool jst_inject_enter_type(struct jst_mpi_call *call);

/** Searches an injector; once per process image, before any real function is looked up. */
void jst_inject_begin(void);
/** Returns what a wrapper has to call: `real`, or the injector's stub in front of it. */
void *jst_inject_io(unsigned index, void *real);
/** Returns the function that adapters call when an MPI call begins. */
jst_inject_enter_type *jst_inject_enter(void);
void jst_inject_ranked(uint32_t rank);
void jst_inject_child(void);

#endif
