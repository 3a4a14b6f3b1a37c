/* team.h: the processes of one signal. They are forked (the plain build) or ranks of an MPI job;
 * this interface is the same for both, and each build has one of team_fork.c and team_mpi.c.
 *
 * Calls that every process makes together return false when a process is gone and the others
 * wait in vain; the caller then only cleans up and leaves. */
#ifndef JST_SIGNAL_TEAM_H
#define JST_SIGNAL_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a process ends, as named in the log. The greatest in a team decides where all must agree. */
enum jst_reason {
    JST_GO_ON = 0,
    JST_BURST_OVER, /* not the end: only this window is over */
    JST_REASON_TIME,
    JST_REASON_ITERATIONS,
    JST_REASON_VOLUME,
    JST_REASON_SIGNAL,
    JST_REASON_ERROR,
};

struct jst_team {
    unsigned rank, ranks;       /* among those who work together: of one half after a split */
    unsigned world_rank, world; /* of all */
    const char *half;           /* NULL, "probe" or "noise" */
};

/* Name of the MPI that this program is linked to, NULL in the plain build. */
extern const char *const jst_team_mpi;

/* Makes the team: forks, or MPI_Init. From here on every process runs the same code.
 * processes: how many to fork; the MPI builds take what their launcher started. */
bool jst_team_start(struct jst_team *team, int *count, char ***values, unsigned processes);

/* Even ranks become the probe, odd ones the noise, each with ranks from 0 of its own. */
bool jst_team_split(struct jst_team *team);

/* ---- called by all together ---------------------------------------------------------------- */
bool jst_team_barrier(struct jst_team *team);
bool jst_team_bcast(struct jst_team *team, void *data, size_t size); /* from rank 0 */
bool jst_team_max(struct jst_team *team, int64_t *values, unsigned count);
bool jst_team_sum(struct jst_team *team, int64_t *values, unsigned count);
/* Of both halves of a split. */
bool jst_team_world_max(struct jst_team *team, int64_t *values, unsigned count);

/* ---- called by each alone, at any time ------------------------------------------------------ */
/* Asks all others to stop, also those of the other half. */
void jst_team_request(struct jst_team *team, enum jst_reason reason);
/* What another process has requested, or JST_GO_ON. Cheap: may be called at every operation. */
enum jst_reason jst_team_requested(struct jst_team *team);
/* Bytes of this process so far, for the progress line of rank 0; and their sum as far as known.
 * ranks_known: of how many processes that sum is. */
void jst_team_progress(struct jst_team *team, uint64_t bytes);
uint64_t jst_team_progress_sum(struct jst_team *team, unsigned *ranks_known);

/* ---- messages; only in the MPI builds (false in the plain one) ------------------------------ */
/* Blocking, as MPI_Send and similar calls; ranks are those of the half after a split. */
bool jst_team_send(struct jst_team *team, unsigned to, const void *data, size_t size);
bool jst_team_receive(struct jst_team *team, unsigned from, void *data, size_t size);
bool jst_team_exchange(struct jst_team *team, unsigned with, const void *out, void *in,
                       size_t size);
/* size bytes to and from every rank; both buffers hold ranks * size. */
bool jst_team_all_to_all(struct jst_team *team, const void *out, void *in, size_t size);
/* Rank 0 receives size bytes of every other rank, all at once; in holds ranks * size there. */
bool jst_team_incast(struct jst_team *team, const void *out, void *in, size_t size);

/* ---- the end --------------------------------------------------------------------------------- */
/* Waits until all are done with their work. Rank 0 of a forked team has then outlived the others,
 * has named those that died, and has the worst status. False when a process is missing. */
bool jst_team_gather(struct jst_team *team, int *status);

/* Ends the process. clean: every process gets here, so that the MPI may be finalized. */
__attribute__((noreturn)) void jst_team_end(struct jst_team *team, int status, bool clean);

#endif
