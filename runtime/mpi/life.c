/* life.c: what the runtime is told when MPI_Init has returned. */
#include "adapter.h"

#ifdef OPEN_MPI
static MPI_Comm null_comm(void)
{
    return jst_object("ompi_mpi_comm_null");
}
#else
static MPI_Comm null_comm(void)
{
    return MPI_COMM_NULL;
}
#endif

/** 0 MPI_THREAD_SINGLE to 3 MPI_THREAD_MULTIPLE. */
static uint32_t thread_level(void)
{
    int level = MPI_THREAD_SINGLE;
    jst_pmpi.Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE     ? 3
           : level == MPI_THREAD_SERIALIZED ? 2
           : level == MPI_THREAD_FUNNELED   ? 1
                                            : 0;
}

void jst_after_init(void)
{
    const int size = jst_world_size();
    const int *appnum = NULL;
    int present = 0;
    MPI_Comm parent = null_comm();
    jst_pmpi.Comm_get_attr(jst_world, MPI_APPNUM, &appnum, &present);
    jst_pmpi.Comm_get_parent(&parent);
    jst_host.initialised((uint32_t)size, (uint32_t)jst_rank(jst_world), thread_level(),
                         present && appnum && *appnum > 0 ? (uint32_t)*appnum : 0,
                         parent != null_comm());
}
