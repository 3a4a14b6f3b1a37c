/* A world that starts another one (itself, with the argument `child`) and talks to it. */
#include "account.h"
#include <mpi.h>

#define CHILDREN 2

static int word, answer;

static void parent(char *program, int rank)
{
    char *arguments[] = {"child", NULL};
    MPI_Comm inter, all;
    int failed = MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                &inter, MPI_ERRCODES_IGNORE);
    MUST(failed == MPI_SUCCESS), DID(mpi_spawn, 1, 0);
    if (rank == 0) {
        for (int i = 0; i < CHILDREN; i++) {
            MPI_Send(&word, 1, MPI_INT, i, 1, inter), DID(mpi_send, 1, 4);
            MPI_Recv(&answer, 1, MPI_INT, i, 2, inter, MPI_STATUS_IGNORE), DID(mpi_recv, 1, 4);
        }
    }
    MPI_Intercomm_merge(inter, 0, &all), DID(mpi_comm, 1, 0);
    MPI_Allreduce(&word, &answer, 1, MPI_INT, MPI_SUM, all), DID(mpi_all_to_all, 1, 4);
    MPI_Comm_free(&all), DID(mpi_comm, 1, 0);
    MPI_Comm_disconnect(&inter), DID(mpi_spawn, 1, 0);
}

static void child(MPI_Comm inter)
{
    MPI_Comm all;
    MPI_Recv(&word, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE), DID(mpi_recv, 1, 4);
    MPI_Send(&word, 1, MPI_INT, 0, 2, inter), DID(mpi_send, 1, 4);
    MPI_Intercomm_merge(inter, 1, &all), DID(mpi_comm, 1, 0);
    MPI_Allreduce(&word, &answer, 1, MPI_INT, MPI_SUM, all), DID(mpi_all_to_all, 1, 4);
    MPI_Comm_free(&all), DID(mpi_comm, 1, 0);
    MPI_Comm_disconnect(&inter), DID(mpi_spawn, 1, 0);
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    int rank;
    account_begin("TRUTH");
    MPI_Init(&argc, &argv), DID(mpi_init, 1, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&inter);
    if (inter == MPI_COMM_NULL) {
        parent(argv[0], rank);
    } else {
        child(inter);
    }
    MPI_Finalize(), DID(mpi_finalize, 1, 0);
    return 0;
}
