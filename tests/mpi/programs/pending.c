/* Many non-blocking global collectives in one wait; other requests then get their handles. */
#include <mpi.h>

int main(int argc, char **argv)
{
    enum { MANY = 40 };
    MPI_Request requests[MANY];
    double out[MANY] = {0}, in[MANY];
    char byte[2] = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < MANY; i++) {
            MPI_Iallreduce(&out[i], &in[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 20 * MANY; i++) {
        MPI_Irecv(byte, 1, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, requests);
        MPI_Send(byte + 1, 1, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
