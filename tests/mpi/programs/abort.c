/* MPI_Abort of one rank, after calls that fail; the others are in a barrier, and take a second to
 * die: where a launcher kills the shell around them, they live on, and end by their alarm. Rank 0
 * prints what all ranks did. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define FAILING 5
#define ROUNDS 20
#define BYTES 10

static int failed;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    failed++;
}

int main(int argc, char **argv)
{
    char out[BYTES] = {0}, in[BYTES];
    int rank, size;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    alarm(2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < FAILING; i++)
        MPI_Send(out, BYTES, MPI_BYTE, size + 5, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed += MPI_Send(out, -1, MPI_BYTE, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + 1) % size, 1, in, BYTES, MPI_BYTE,
                     MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d %d %d %d\n", failed, failed * size, ROUNDS * size, ROUNDS * BYTES * size);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 17);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
