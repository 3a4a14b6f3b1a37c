/* init_finalize.c: notifies the runtime of the MPI's begin and end, by MPI_Init or by sessions. */
#include "adapter.h"

static bool passed;  /* that it is initialising */
static int sessions; /* open */
static bool world;   /* between MPI_Init and MPI_Finalize */
static bool ending;  /* the call in progress closes the last one */

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

void jst_before_init(bool session)
{
    if (session) {
        __atomic_fetch_add(&sessions, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&jst_many_threads, true, __ATOMIC_RELAXED); /* any thread may call */
    } else {
        __atomic_store_n(&world, true, __ATOMIC_RELAXED);
    }
    if (!__atomic_exchange_n(&passed, true, __ATOMIC_RELAXED)) {
        jst_host.initialising();
    }
}

void jst_after_init(void)
{
    const int size = jst_world_size();
    const int *appnum = NULL;
    int present = 0;
    MPI_Comm parent = null_comm();
    const uint32_t level = thread_level();
    const bool many = level == 3 || __atomic_load_n(&sessions, __ATOMIC_RELAXED) > 0;
    __atomic_store_n(&jst_many_threads, many, __ATOMIC_RELAXED);
    jst_pmpi.Comm_get_attr(jst_world, MPI_APPNUM, &appnum, &present);
    jst_pmpi.Comm_get_parent(&parent);
    jst_host.initialised((uint32_t)size, (uint32_t)jst_rank(jst_world), level,
                         present && appnum && *appnum > 0 ? (uint32_t)*appnum : 0,
                         parent != null_comm());
}

#if MPI_VERSION >= 4
/** A session's handle in C. */
static bool session_of(const void *session, bool fortran, MPI_Session *handle)
{
    if (!fortran) {
        *handle = *(const MPI_Session *)session;
        return true;
    }
#ifdef JST_INTEGER_HANDLES
    *handle = *(const MPI_Fint *)session;
    return true;
#else
    MPI_Session (*const convert)(MPI_Fint) =
        (MPI_Session(*)(MPI_Fint))jst_host.real("PMPI_Session_f2c");
    if (convert) {
        *handle = convert(*(const MPI_Fint *)session);
    }
    return convert != NULL;
#endif
}

void jst_after_session(const void *session, bool fortran)
{
    int (*const group_of)(MPI_Session, const char *, MPI_Group *) = (int (*)(
        MPI_Session, const char *, MPI_Group *))jst_host.real("PMPI_Group_from_session_pset");
    int (*const size_of)(MPI_Group, int *) =
        (int (*)(MPI_Group, int *))jst_host.real("PMPI_Group_size");
    int (*const rank_of)(MPI_Group, int *) =
        (int (*)(MPI_Group, int *))jst_host.real("PMPI_Group_rank");
    MPI_Session handle;
    MPI_Group group;
    int size = 0;
    int rank = 0;
    if (__atomic_load_n(&world, __ATOMIC_RELAXED) ||
        __atomic_load_n(&jst_session_size, __ATOMIC_RELAXED) || !group_of || !size_of || !rank_of ||
        !session_of(session, fortran, &handle) ||
        group_of(handle, "mpi://WORLD", &group) != MPI_SUCCESS) {
        return;
    }
    size_of(group, &size);
    rank_of(group, &rank);
    jst_pmpi.Group_free(&group);
    if (size > 0 && rank >= 0) {
        __atomic_store_n(&jst_session_size, size, __ATOMIC_RELAXED);
        jst_host.initialised((uint32_t)size, (uint32_t)rank, 3, 0, false); /* any thread may call */
    }
}
#else
void jst_after_session(const void *session, bool fortran)
{
    (void)session;
    (void)fortran;
}
#endif

void jst_before_finalize(bool session)
{
    const int left = session ? __atomic_sub_fetch(&sessions, 1, __ATOMIC_RELAXED)
                             : __atomic_load_n(&sessions, __ATOMIC_RELAXED);
    if (!session) {
        __atomic_store_n(&world, false, __ATOMIC_RELAXED);
    }
    if (left <= 0 && !__atomic_load_n(&world, __ATOMIC_RELAXED)) {
        __atomic_store_n(&ending, true, __ATOMIC_RELAXED);
        jst_host.finalising();
    }
}

void jst_after_finalize(void)
{
    if (__atomic_exchange_n(&ending, false, __ATOMIC_RELAXED)) {
        jst_host.finalised();
    }
}
