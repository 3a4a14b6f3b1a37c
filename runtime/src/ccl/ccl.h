/* ccl.h: shared declarations of the wrappers of collective libraries (ccl.c). */
#ifndef JST_CCL_H
#define JST_CCL_H

#include "../../include/jst_mpi.h"
#include "common.h"

/** A communicator: the group that a library's functions get. */
typedef struct jst_ccl_group {
    const void *key; /* its address */
    uint32_t rank, size;
    const char *library; /* "gloo", "NCCL 2.27.3" */
    bool on_gpus;
} jst_ccl_group;

/** This process takes part in a group. The first one of WORLD_SIZE ranks, in which it has the number
 *  RANK, makes it a rank: its profile's header gets the world, and segments begin. Where the
 *  environment has neither, the first one of at least two does, and any larger one later. Once per
 *  operation: the group of the world is followed by another one of all ranks after it was destroyed.
 *  Returns whether the group is that of the world. */
bool jst_ccl_joins(const jst_ccl_group *group);

/** A group is about to be destroyed; the next one of all ranks replaces it. */
void jst_ccl_leaves(const jst_ccl_group *group);

/** The library's own function, as the caller (an address in it) would have called it. NULL: none. */
void *jst_ccl_real(const char *symbol, const void *caller, bool (*is_ours)(const void *));

/** An operation of the world's group, of this number in the order of enqueueing, which is the same on
 *  all ranks, begins in this thread and ends in it (call: as passed to jst_mpi_leave). */
void jst_ccl_begins(uint64_t number, const jst_mpi_call *call);
void jst_ccl_ends(uint64_t number, const jst_mpi_call *call);

void jst_ccl_child(void); /* in a forked child */
void jst_nccl_child(void);

/** Writes to the profile how many operations of NCCL have no times, if more than before. By the heartbeat. */
void jst_nccl_note(int fd, uint64_t now_ns, bool ending);

#endif
