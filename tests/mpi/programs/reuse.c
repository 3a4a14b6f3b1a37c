/* A communicator freed while another is (as PETSc does): its handle's next owner is a small one. */
#include "account.h"

#include <mpi.h>

static MPI_Comm inner;

static int freed(MPI_Comm outer, int key, void *value, void *extra)
{
    (void)outer, (void)key, (void)value, (void)extra;
    return MPI_Comm_free(&inner);
}

int main(int argc, char **argv)
{
    MPI_Comm outer, own[2];
    int key, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &key, NULL);
    for (int i = 0; i < 10; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &outer);
        MPI_Comm_dup(MPI_COMM_WORLD, &inner);
        MPI_Barrier(inner);
        MPI_Comm_set_attr(outer, key, NULL);
        MPI_Comm_free(&outer);
        for (int k = 0; k < 2; k++) {
            MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own[k]);
            MPI_Barrier(own[k]);
        }
        MPI_Comm_free(&own[0]);
        MPI_Comm_free(&own[1]);
    }
    MPI_Finalize();
    return 0;
}
