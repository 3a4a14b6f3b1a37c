/*
 * Many threads in MPI at once, each on its own communicator: exact counts, whatever the order.
 * Arguments: threads, rounds.
 */
#include "account.h"
#include <mpi.h>
#include <pthread.h>

#define MAX 16

static int rank, size, rounds;
static MPI_Comm own[MAX];

static void *work(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out[8] = {0}, in[8];
    for (int i = 0; i < rounds; i++) {
        MPI_Request r[2];
        MPI_Irecv(in, 3, MPI_INT, left, 1, comm, &r[0]), DID(mpi_irecv, 1, 8);
        MPI_Isend(out, 2, MPI_INT, right, 1, comm, &r[1]), DID(mpi_isend, 1, 8);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE), DID(mpi_wait, 1, 0);
        MPI_Sendrecv(out, 4, MPI_INT, right, 2, in, 4, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
        DID(mpi_sendrecv, 1, 16), GOT(16);
        if (i % 8 == 0) {
            MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, comm), DID(mpi_all_to_all, 1, 20);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4, level;
    pthread_t threads[MAX];
    rounds = argc > 2 ? atoi(argv[2]) : 400;
    account_begin("TRUTH");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), DID(mpi_init, 1, 0);
    if (level != MPI_THREAD_MULTIPLE) {
        account_note("level", "too low");
        n = 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]), DID(mpi_comm, 1, 0);
    }
    for (int wave = 0; wave < 2; wave++) { /* threads end and others take their place */
        for (int i = 0; i < n; i++) {
            pthread_create(&threads[i], NULL, work, &own[i]);
        }
        for (int i = 0; i < n; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    for (int i = 0; i < n; i++) {
        MPI_Comm_free(&own[i]), DID(mpi_comm, 1, 0);
    }
    MPI_Finalize(), DID(mpi_finalize, 1, 0);
    return 0;
}
