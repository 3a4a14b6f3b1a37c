/* all_in_mpi.h: finds since when all ranks of the node have been in MPI (all_in_mpi.c). */
#ifndef JST_ALL_IN_MPI_H
#define JST_ALL_IN_MPI_H

#include "common.h"

void jst_together_begin(void); /* MPI_Init has ended */
/** Ticks up to now in which every rank of the node was in MPI, the calling one since begin; 0: one was
 *  not, or not known: only for ranks that share cores. */
JST_COLD uint64_t jst_together(uint64_t begin, uint64_t now);

void jst_together_tick(uint64_t now_ns); /* in the heartbeat, at a boundary */
void jst_together_child(void);           /* in a forked child */

#endif
