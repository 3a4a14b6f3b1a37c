/* Sends a known number of messages to known ranks: for the table of peers. */
#include "account.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, out[16] = {0}, in[16];
    MPI_Comm reversed;
    account_begin("TRUTH");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* In this communicator the ranks count backwards: peers are known by their rank in the world. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int i = 0; i < 5; i++) {
        MPI_Request r[2];
        MPI_Irecv(in, 10, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 10, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    if (rank < 2) { /* 0 and 1 are size - 1 and size - 2 there */
        int other = size - 1 - (1 - rank);
        for (int i = 0; i < 3; i++) {
            if (rank == 0) {
                MPI_Send(out, 4, MPI_INT, other, 2, reversed);
            } else {
                MPI_Recv(in, 6, MPI_INT, other, 2, reversed, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
