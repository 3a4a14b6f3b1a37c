/* mpi_account.h: counts and times of every outermost MPI call, called by an adapter
 * (mpi_account.c). */
#ifndef JST_MPI_ACCOUNT_H
#define JST_MPI_ACCOUNT_H

#include "../../include/jst_mpi.h"
#include "common.h"

bool jst_mpi_enter(jst_mpi_call *call);
void jst_mpi_leave(const jst_mpi_call *call);
void jst_mpi_count(const jst_mpi_call *call, unsigned klass, uint64_t bytes, uint32_t peer);
void jst_mpi_arrived(const jst_mpi_call *call, uint32_t peer, uint64_t bytes, bool is_room);
void jst_mpi_initialising(void);
void jst_mpi_initialised(uint32_t size, uint32_t rank, uint32_t thread_level, uint32_t appnum,
                         bool spawned);
/** Size of the world and own number in it, from jst_mpi_initialised; again where that was too
 * small. */
void jst_mpi_world(uint32_t size, uint32_t rank);
void jst_mpi_finalising(void);
void jst_mpi_finalised(void);
/** An operation that jst_mpi_count has counted ended at `now` (ticks), and took so many. */
void jst_mpi_completed(const jst_mpi_call *call, uint64_t now, uint64_t ticks);
/** Of the time from began to now (ticks) all except `used`, on the CPU or in calls, was off the
 * CPU. */
void jst_mpi_off_cpu(struct jst_block *b, uint64_t began, uint64_t now, uint64_t used);
bool jst_mpi_runs(void); /* between MPI_Init and MPI_Finalize, in this process */

extern JST_HIDDEN __thread jst_mpi_outer jst_tls_outer;

/** Instructions of the calling thread outside MPI calls since the last call of this; 0 where not
 *  all of them were counted. */
uint64_t jst_gap_instructions(void);

#endif
