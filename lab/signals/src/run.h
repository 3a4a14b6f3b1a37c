/* run.h: shared declarations of run.c and progress.c. */
#ifndef JST_SIGNAL_RUN_H
#define JST_SIGNAL_RUN_H

#include "signal.h"

/* Shows, twice a second and on rank 0's terminal only, what has been done. */
void jst_progress_start(const struct jst_run *run, int64_t start_ns);
void jst_progress(struct jst_run *run, int64_t now);
/* Removes the line and, at a normal end, prints a summary. */
void jst_progress_end(struct jst_run *run, enum jst_reason reason, int64_t now);

#endif
