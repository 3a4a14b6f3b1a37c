/* communicator.h: what a communicator on GPUs has enqueued, and when it ended (communicator.c). */
#ifndef JST_COMMUNICATOR_H
#define JST_COMMUNICATOR_H

#include "ccl.h"

typedef struct jst_communicator jst_communicator;

/** The communicator of a handle; initialised by `ask`. NULL: there are too many, or `ask` knows
 *  nothing. group: the handle's group, its size 0 where `ask` knows nothing. */
jst_communicator *jst_communicator_of(const void *handle,
                                      bool (*ask)(const void *handle, jst_ccl_group *group),
                                      jst_ccl_group *group);

/** An operation is about to be enqueued, and has been. Between the two is the library's call, or the end
 *  of its group: `enqueued` is called once for all that `enqueueing` announced in this thread. c NULL: it
 *  has no times. */
void jst_enqueueing(jst_communicator *c, const jst_mpi_call *call, void *stream);
void jst_enqueued(void);

/** The handle is about to become invalid. */
void jst_communicator_ends(const void *handle);

#endif
