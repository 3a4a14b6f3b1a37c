/* team_mpi.c: the processes of one signal as ranks of an MPI job.
 *
 * RATIONALE: collective operations are started without blocking and then tested, so that a rank
 * that was asked to stop does not hang for ever on one that is gone: a launcher that ends a job
 * gives its ranks about a second, in which they must clean up.
 *
 * RATIONALE: only the load itself calls MPI_; agreeing and stopping calls PMPI_, past jostle and
 * other profilers, so that a profile of a signal shows only its load. */
#ifdef JST_MPI

#include "team.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "stop.h"

const char *const jst_team_mpi = JST_MPI;

enum { TAG_STOP = 1, TAG_DATA = 2 };

static MPI_Comm all = MPI_COMM_NULL;  /* a duplicate of the world: stops, the barrier at the end */
static MPI_Comm work = MPI_COMM_NULL; /* those who work together */
static MPI_Request hear = MPI_REQUEST_NULL;
static int heard, requested; /* enum jst_reason; heard is where the next message goes */
static bool broken;          /* a process is gone: no collective operation any more */

/* How long this process still waits for others: for ever, or until shortly after a signal that is
 * followed by a kill. */
static bool may_wait(void)
{
    int64_t since = jst_ending_since();
    return !since || jst_now() - since < 600 * JST_MS;
}

static bool complete(MPI_Request *request)
{
    static const struct timespec nap = {0, 100000};
    int done = 0;

    for (unsigned i = 0;; i++) {
        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        if (done)
            return true;
        if (i % 64 == 63 && !may_wait())
            break;
        /* More ranks than cores are usual here: the others must get to run. */
        if (i < 2000)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
    broken = true;
    return false;
}

bool jst_team_start(struct jst_team *team, int *count, char ***values, unsigned processes)
{
    int provided, rank, ranks;

    (void)processes;
    if (MPI_Init_thread(count, values, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return false;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    *team = (struct jst_team){.rank = (unsigned)rank,
                              .ranks = (unsigned)ranks,
                              .world_rank = (unsigned)rank,
                              .world = (unsigned)ranks};
    PMPI_Irecv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, TAG_STOP, all, &hear);
    return true;
}

bool jst_team_split(struct jst_team *team)
{
    MPI_Comm half;
    int rank, ranks;
    bool noise = team->world_rank % 2;

    if (MPI_Comm_split(all, noise, (int)team->world_rank, &half) != MPI_SUCCESS)
        return false;
    MPI_Comm_free(&work);
    work = half;
    MPI_Comm_rank(work, &rank);
    MPI_Comm_size(work, &ranks);
    team->rank = (unsigned)rank;
    team->ranks = (unsigned)ranks;
    team->half = noise ? "noise" : "probe";
    return true;
}

bool jst_team_barrier(struct jst_team *team)
{
    MPI_Request request;
    (void)team;
    return !broken && PMPI_Ibarrier(work, &request) == MPI_SUCCESS && complete(&request);
}

bool jst_team_bcast(struct jst_team *team, void *data, size_t size)
{
    MPI_Request request;
    (void)team;
    return !broken && PMPI_Ibcast(data, (int)size, MPI_BYTE, 0, work, &request) == MPI_SUCCESS &&
           complete(&request);
}

static bool combine(int64_t *values, unsigned count, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    return !broken &&
           PMPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, op, comm, &request) ==
               MPI_SUCCESS &&
           complete(&request);
}

bool jst_team_max(struct jst_team *team, int64_t *values, unsigned count)
{
    (void)team;
    return combine(values, count, MPI_MAX, work);
}

bool jst_team_world_max(struct jst_team *team, int64_t *values, unsigned count)
{
    (void)team;
    return combine(values, count, MPI_MAX, all);
}

bool jst_team_sum(struct jst_team *team, int64_t *values, unsigned count)
{
    (void)team;
    return combine(values, count, MPI_SUM, work);
}

void jst_team_request(struct jst_team *team, enum jst_reason reason)
{
    static int words[16]; /* one for each message: it must stay until it is sent */
    static unsigned used;

    if ((int)reason <= requested || used == sizeof words / sizeof *words || broken)
        return; /* they know */
    requested = (int)reason;
    words[used] = requested;
    for (unsigned i = 0; i < team->world; i++) {
        MPI_Request request;
        if (i == team->world_rank)
            continue;
        PMPI_Isend(&words[used], 1, MPI_INT, (int)i, TAG_STOP, all, &request);
        PMPI_Request_free(&request);
    }
    used++;
}

static void listen(void)
{
    int done = 0;

    while (hear != MPI_REQUEST_NULL && PMPI_Test(&hear, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           done) {
        if (heard > requested)
            requested = heard;
        PMPI_Irecv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, TAG_STOP, all, &hear);
    }
}

enum jst_reason jst_team_requested(struct jst_team *team)
{
    static int64_t next;
    struct timespec t;

    (void)team;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    int64_t now = t.tv_sec * JST_SECOND + t.tv_nsec;
    if (now >= next) {
        next = now + 20 * JST_MS;
        listen();
    }
    return (enum jst_reason)requested;
}

static uint64_t progress;

void jst_team_progress(struct jst_team *team, uint64_t bytes)
{
    (void)team;
    progress = bytes;
}

uint64_t jst_team_progress_sum(struct jst_team *team, unsigned *ranks_known)
{
    (void)team;
    *ranks_known = 1;
    return progress;
}

/* ---- messages ------------------------------------------------------------------------------ */
bool jst_team_send(struct jst_team *team, unsigned to, const void *data, size_t size)
{
    (void)team;
    return MPI_Send(data, (int)size, MPI_BYTE, (int)to, TAG_DATA, work) == MPI_SUCCESS;
}

bool jst_team_receive(struct jst_team *team, unsigned from, void *data, size_t size)
{
    (void)team;
    return MPI_Recv(data, (int)size, MPI_BYTE, (int)from, TAG_DATA, work, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

bool jst_team_exchange(struct jst_team *team, unsigned with, const void *out, void *in, size_t size)
{
    (void)team;
    return MPI_Sendrecv(out, (int)size, MPI_BYTE, (int)with, TAG_DATA, in, (int)size, MPI_BYTE,
                        (int)with, TAG_DATA, work, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

bool jst_team_all_to_all(struct jst_team *team, const void *out, void *in, size_t size)
{
    (void)team;
    return MPI_Alltoall(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, work) == MPI_SUCCESS;
}

bool jst_team_incast(struct jst_team *team, const void *out, void *in, size_t size)
{
    static MPI_Request *requests; /* kept for the next time */
    const size_t one = sizeof(MPI_Request);

    if (team->rank != 0)
        return jst_team_send(team, 0, out, size);
    if (!requests && !(requests = malloc(team->ranks * one)))
        return false;
    for (unsigned i = 1; i < team->ranks; i++)
        if (MPI_Irecv((char *)in + i * size, (int)size, MPI_BYTE, (int)i, TAG_DATA, work,
                      &requests[i]) != MPI_SUCCESS)
            return false;
    for (unsigned i = 1; i < team->ranks; i++)
        if (MPI_Wait(&requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */
/* NOTE: MPICH over UCX and tcp flushes, in its finalize, connections to ranks to which it never
 * sent anything, which needs the progress of a peer that already waits in a blocking barrier: some
 * runs between nodes hung. So each pair exchanges a message first; 512 bytes, since smaller ones
 * are sent by an algorithm that leaves pairs out. */
static bool meet_everybody(unsigned ranks)
{
    enum { EACH = 512 };
    char *both = calloc(2 * ranks, EACH);
    MPI_Request request;

    if (!both)
        return false;
    bool met = PMPI_Ialltoall(both, EACH, MPI_BYTE, both + ranks * EACH, EACH, MPI_BYTE, all,
                              &request) == MPI_SUCCESS &&
               complete(&request);
    if (met) /* else the MPI may write into it still */
        free(both);
    return met;
}

bool jst_team_gather(struct jst_team *team, int *status)
{
    MPI_Request request;
    int worst = 0;

    (void)team;
    /* Each rank leaves with its own status; the launcher reports one that is not 0. */
    return !broken &&
           PMPI_Iallreduce(status, &worst, 1, MPI_INT, MPI_MAX, all, &request) == MPI_SUCCESS &&
           complete(&request);
}

void jst_team_end(struct jst_team *team, int status, bool clean)
{
    if (clean && !broken && (strncmp(JST_MPI, "mpich", 5) != 0 || meet_everybody(team->world))) {
        /* The last message may not have been received. */
        listen();
        if (hear != MPI_REQUEST_NULL) {
            PMPI_Cancel(&hear);
            PMPI_Wait(&hear, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&work);
        MPI_Comm_free(&all);
        MPI_Finalize();
        exit(status);
    }
    /* Without finalize: the launcher ends the others too, which is wanted. */
    _exit(status ? status : 1);
}

MPI_Comm *jst_team_communicator(void);
MPI_Comm *jst_team_communicator(void)
{
    return &work;
}

#endif
