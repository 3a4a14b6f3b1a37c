/* A plug-in that is linked with an MPI, for a program that is not: its names stay local. */
#include <mpi.h>
#include <stddef.h>

int run(void)
{
    int rank = 0, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Bcast(&rank, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Finalize();
    return sum;
}
