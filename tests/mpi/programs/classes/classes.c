/*
 * Uses every class of MPI call and accounts for it. Arguments: the parts to run, in order; without
 * any all of them. parts.h lists the parts; each lives in the file of its topic.
 */
#include "parts.h"

int rank, size;

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"p2p", part_p2p},
    {"nonblocking", part_nonblocking},
    {"persistent", part_persistent},
    {"completion", part_completion},
    {"failures", part_failures},
    {"types", part_types},
    {"blocking", part_blocking},
    {"inplace", part_inplace},
    {"ionblocking", part_ionblocking},
    {"coll_persistent", part_coll_persistent},
    {"neighbor", part_neighbor},
    {"inter", part_inter},
    {"rma", part_rma},
    {"atomics", part_atomics},
    {"io", part_io},
    {"io_shared", part_io_shared},
    {"comm", part_comm},
    {"large", part_large},
    {"direct", part_direct},
};

int main(int argc, char **argv)
{
    int flag;
    account_begin("TRUTH");
    OK(MPI_Init(&argc, &argv)), DID(mpi_init, 1, 0);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++) {
        int wanted = argc < 2;
        for (int i = 1; i < argc; i++) {
            wanted |= strcmp(argv[i], parts[p].name) == 0;
        }
        if (wanted) {
            parts[p].run();
        }
    }
    MPI_Initialized(&flag); /* not counted, like all that talks to nobody */
    MUST(flag);
    if (getenv("LEAVE") != NULL) { /* without a word, when all are done */
        OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
        account_sleep(300000000);
        _exit(0);
    }
    OK(MPI_Finalize()), DID(mpi_finalize, 1, 0);
    return 0;
}
