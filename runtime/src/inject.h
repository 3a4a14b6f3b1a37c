/* inject.h: where libjostle.so asks whether calls are to be delayed (inject.c). */
#ifndef JST_INJECT_SIDE_H
#define JST_INJECT_SIDE_H

#include <stdbool.h>
#include <stdint.h>

struct jst_mpi_call;
typedef bool jst_inject_enter_type(struct jst_mpi_call *call);

/** Looks for an injector; once per process image, before any real function is looked up. */
void jst_inject_begin(void);
/** What a wrapper calls: real, or the injector's stub in front of it. */
void *jst_inject_io(unsigned index, void *real);
/** What adapters call when a call begins. */
jst_inject_enter_type *jst_inject_enter(void);
void jst_inject_ranked(uint32_t rank);
void jst_inject_child(void);

#endif
