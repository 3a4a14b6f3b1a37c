/* libjostle_lab_mpich.so: lets MPICH programs end on the nodes of a lab.
 *
 * At its end MPICH waits for each UCX connection to close in order, which over TCP takes the peer's
 * help; a peer that was quicker sits in a barrier of the process manager and gives none. With three
 * ranks or more every second program then hangs in MPI_Finalize (Debian's MPICH 4.0.2, UCX 1.13).
 *
 * So what is still on its way is sent, for as long as anything moves, and then the connection counts
 * as closed. MPICH goes on to its barrier, and after that destroys the worker with all of them.
 * Nothing is lost: who has entered the barrier wants no more messages.
 *
 * Preloaded into the ranks by `jostle lab mpirun --mpi mpich`; belongs to the lab, not to the
 * profiler. Types are UCX's in spirit: pointers, and a status of which 1 means "in progress".
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
    JST_WORKERS = 64,
    JST_IN_PROGRESS = 1,
    JST_LAST_ERROR = 100, /* pointers this close to the top are errors */
    JST_PATIENCE_MS = 300,
    JST_IMPATIENCE_MS = 20,
};

typedef int jst_create(void *worker, const void *parameters, void **connection);
typedef void *jst_flush(void *connection, unsigned flags, void (*done)(void *, int));
typedef int jst_check(void *request);
typedef unsigned jst_progress(void *worker);
typedef void jst_free(void *request);

static void *workers[JST_WORKERS];
static int workers_used;
static int64_t patience_ms = JST_PATIENCE_MS;

int ucp_ep_create(void *worker, const void *parameters, void **connection);
void *ucp_disconnect_nb(void *connection);

/* Remembers which workers there are, to drive them at the end. */
__attribute__((visibility("default"))) int ucp_ep_create(void *worker, const void *parameters,
                                                         void **connection)
{
    jst_create *next = (jst_create *)dlsym(RTLD_NEXT, "ucp_ep_create");
    int i = 0;

    while (i < workers_used && workers[i] != worker)
        i++;
    if (i == workers_used && i < JST_WORKERS)
        workers[workers_used++] = worker;
    return next != NULL ? next(worker, parameters, connection) : -1;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nothing(void *request, int status)
{
    (void)request;
    (void)status;
}

/* Drives all workers until the request is done, or nothing has moved for too long. */
static void wait_for(void *request, jst_check *check, jst_progress *progress)
{
    int64_t moved = now_ms();

    while (check(request) == JST_IN_PROGRESS) {
        unsigned events = 0;

        for (int i = 0; i < workers_used; i++)
            events += progress(workers[i]);
        if (events > 0)
            moved = now_ms();
        else if (now_ms() - moved > patience_ms) {
            patience_ms = JST_IMPATIENCE_MS; /* the peers have gone; nobody else will answer */
            return;
        }
    }
}

/* Returns NULL, which is UCX's "completed, without error". */
__attribute__((visibility("default"))) void *ucp_disconnect_nb(void *connection)
{
    jst_flush *flush = (jst_flush *)dlsym(RTLD_NEXT, "ucp_ep_flush_nb");
    jst_check *check = (jst_check *)dlsym(RTLD_NEXT, "ucp_request_check_status");
    jst_progress *progress = (jst_progress *)dlsym(RTLD_NEXT, "ucp_worker_progress");
    jst_free *release = (jst_free *)dlsym(RTLD_NEXT, "ucp_request_free");
    void *request;

    if (flush == NULL || check == NULL || progress == NULL || release == NULL)
        return NULL;
    request = flush(connection, 0, nothing);
    if (request != NULL && (uintptr_t)request < (uintptr_t)-JST_LAST_ERROR) {
        wait_for(request, check, progress);
        release(request);
    }
    return NULL;
}
