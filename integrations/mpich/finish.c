/* libjostle-lab-mpich.so: lets MPICH programs end on the nodes of a lab.
 *
 * MPICH over UCX's TCP flushes at its end the connections to ranks that it never sent to. That
 * takes the peer's help, and a peer that was quicker sits in a barrier of the process manager and
 * gives none: every second program with three ranks or more hangs in MPI_Finalize. Once all pairs
 * of ranks have sent to each other nothing is left to wait for.
 *
 * Preloaded into the ranks by `jostle lab mpirun --mpi mpich`; belongs to the lab, not to the
 * profiler. Depends on no MPI: what it calls is found in the program, and the three handles that it
 * names are the same in every MPICH.
 */
#include <dlfcn.h>
#include <stdlib.h>

enum {
    JST_COMM_WORLD = 0x44000000,
    JST_CHAR = 0x4c000101,
    /* Above 256 bytes MPICH sends to every rank itself; below, only to some. */
    JST_PIECE = 512,
};

typedef int jst_alltoall(const void *out, int count, int type, void *in, int number, int kind,
                         int comm);
typedef int jst_comm_size(int comm, int *size);
typedef int jst_finalize(void);

static void meet_everybody(void)
{
    jst_alltoall *alltoall = (jst_alltoall *)dlsym(RTLD_DEFAULT, "PMPI_Alltoall");
    jst_comm_size *comm_size = (jst_comm_size *)dlsym(RTLD_DEFAULT, "PMPI_Comm_size");
    int ranks = 0;
    char *pieces;

    if (alltoall == NULL || comm_size == NULL || comm_size(JST_COMM_WORLD, &ranks) != 0)
        return;
    pieces = calloc(2 * (size_t)ranks, JST_PIECE);
    if (pieces != NULL)
        alltoall(pieces, JST_PIECE, JST_CHAR, pieces + (size_t)ranks * JST_PIECE, JST_PIECE,
                 JST_CHAR, JST_COMM_WORLD);
    free(pieces);
}

int MPI_Finalize(void);

__attribute__((visibility("default"))) int MPI_Finalize(void)
{
    jst_finalize *next = (jst_finalize *)dlsym(RTLD_NEXT, "MPI_Finalize");

    if (next == NULL)
        next = (jst_finalize *)dlsym(RTLD_DEFAULT, "PMPI_Finalize");
    if (next == NULL)
        return 16; /* MPI_ERR_OTHER: there is no MPI in this process */
    if (dlsym(RTLD_DEFAULT, "PMPIX_Grequest_class_create") != NULL) /* MPICH, no other */
        meet_everybody();
    return next();
}
