/* papi.h: events that PAPI counts (papi.c): called by the thread that calls MPI. */
#ifndef JST_PAPI_H
#define JST_PAPI_H

#include "block.h"

void jst_papi_begin(void); /* MPI_Init has returned; the calling thread is counted */
/** Reads the events unless that was less than a slice ago. Only the thread of jst_papi_begin reads;
 *  for others this is one comparison. b: that thread's block. */
void jst_papi_sample(jst_block *b);
void jst_papi_boundary(jst_block *b); /* a segment ends: the same unless 10 ms ago */
void jst_papi_finish(jst_block *b);   /* the same, however long ago, and for the last time */

#endif
