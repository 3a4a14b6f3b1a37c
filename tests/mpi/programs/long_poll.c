/*
 * Polls 32 times in vain; the next poll, which is timed, takes a second, as if the process had been
 * stopped in it: MPI asks the program for the status of its own kind of request.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

static int query(void *extra, MPI_Status *status)
{
    struct timespec second = {.tv_sec = 1};
    (void)extra;
    nanosleep(&second, NULL);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}

static int ended(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancelled(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    int done = 0, early = 0;
    MPI_Init(&argc, &argv);
    MPI_Grequest_start(query, ended, cancelled, NULL, &request);
    for (int i = 0; i < 32; i++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        early += done;
    }
    MPI_Grequest_complete(request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return early || !done;
}
