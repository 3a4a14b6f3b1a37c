/* MPI 4: a program that never calls MPI_Init; its communicator comes from a session. */
#include "account.h"
#include <mpi.h>

int main(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int out[4] = {0}, in[4];
    account_begin("TRUTH");
    MUST(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS);
    DID(mpi_init, 1, 0);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MUST(MPI_Comm_create_from_group(group, "jostle", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) ==
         MPI_SUCCESS);
    DID(mpi_comm, 1, 0);
    for (int i = 0; i < 10; i++) {
        MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, comm), DID(mpi_all_to_all, 1, 12);
    }
    MPI_Comm_free(&comm), DID(mpi_comm, 1, 0);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session), DID(mpi_finalize, 1, 0);
#endif
    return 0;
}
