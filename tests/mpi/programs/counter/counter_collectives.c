/* The independent counter: collectives, blocking, non-blocking and persistent. */
#include "counter.h"

/* clang-format off */
typedef const void *in_t;
typedef MPI_Datatype T;
typedef MPI_Comm C;
typedef MPI_Request *R;
typedef const int *V;
/* clang-format on */

/* BOTH: MPI_X and MPI_Ix with their classes, same arguments but for the request. */
#define EXPAND(...) __VA_ARGS__
#define BOTH(name, iname, parameters, arguments, klass, iklass, bytes)                             \
    WRAP(name, (EXPAND parameters), (EXPAND arguments), klass, bytes);                             \
    WRAP(iname, (EXPAND parameters, R r), (EXPAND arguments, r), iklass, bytes)
#define PERSISTENT(name, parameters, arguments, klass, bytes)                                      \
    WRAP_THEN(name, (EXPAND parameters, MPI_Info i, R r), (EXPAND arguments, i, r), mpi_request,   \
              0, counter_keep(*r, C_##klass, bytes))

BOTH(MPI_Bcast, MPI_Ibcast, (void *b, int n, T t, int root, C c), (b, n, t, root, c),
     mpi_one_to_all, mpi_ione_to_all, casting(sized(n, t), root, c));
BOTH(MPI_Scatter, MPI_Iscatter, (in_t b, int n, T t, void *b2, int n2, T t2, int root, C c),
     (b, n, t, b2, n2, t2, root, c), mpi_one_to_all, mpi_ione_to_all,
     scattering(n, NULL, t, n2, t2, root, c));
BOTH(MPI_Scatterv, MPI_Iscatterv, (in_t b, V n, V d, T t, void *b2, int n2, T t2, int root, C c),
     (b, n, d, t, b2, n2, t2, root, c), mpi_one_to_all, mpi_ione_to_all,
     scattering(0, n, t, n2, t2, root, c));

#define REDUCE_BYTES giving(NULL, n, t, 0, NULL, t, root, c)
BOTH(MPI_Reduce, MPI_Ireduce, (in_t b, void *b2, int n, T t, MPI_Op o, int root, C c),
     (b, b2, n, t, o, root, c), mpi_all_to_one, mpi_iall_to_one, REDUCE_BYTES);
#define GATHER (in_t b, int n, T t, void *b2, int n2, T t2, int root, C c)
BOTH(MPI_Gather, MPI_Igather, GATHER, (b, n, t, b2, n2, t2, root, c), mpi_all_to_one,
     mpi_iall_to_one, giving(b, n, t, n2, NULL, t2, root, c));
BOTH(MPI_Gatherv, MPI_Igatherv, (in_t b, int n, T t, void *b2, V n2, V d, T t2, int root, C c),
     (b, n, t, b2, n2, d, t2, root, c), mpi_all_to_one, mpi_iall_to_one,
     giving(b, n, t, 0, n2, t2, root, c));

BOTH(MPI_Allreduce, MPI_Iallreduce, (in_t b, void *b2, int n, T t, MPI_Op o, C c),
     (b, b2, n, t, o, c), mpi_all_to_all, mpi_iall_to_all, sized(n, t));
BOTH(MPI_Allgather, MPI_Iallgather, (in_t b, int n, T t, void *b2, int n2, T t2, C c),
     (b, n, t, b2, n2, t2, c), mpi_all_to_all, mpi_iall_to_all,
     b == MPI_IN_PLACE ? sized(n2, t2) : sized(n, t));
BOTH(MPI_Allgatherv, MPI_Iallgatherv, (in_t b, int n, T t, void *b2, V n2, V d, T t2, C c),
     (b, n, t, b2, n2, d, t2, c), mpi_all_to_all, mpi_iall_to_all,
     b == MPI_IN_PLACE ? sized(n2[self(c)], t2) : sized(n, t));
BOTH(MPI_Alltoall, MPI_Ialltoall, (in_t b, int n, T t, void *b2, int n2, T t2, C c),
     (b, n, t, b2, n2, t2, c), mpi_all_to_all, mpi_iall_to_all,
     (b == MPI_IN_PLACE ? sized(n2, t2) : sized(n, t)) * others(c));
BOTH(MPI_Alltoallv, MPI_Ialltoallv, (in_t b, V n, V d, T t, void *b2, V n2, V d2, T t2, C c),
     (b, n, d, t, b2, n2, d2, t2, c), mpi_all_to_all, mpi_iall_to_all,
     b == MPI_IN_PLACE ? sized(sum(n2, others(c)), t2) : sized(sum(n, others(c)), t));
#define KINDS const MPI_Datatype
BOTH(MPI_Alltoallw, MPI_Ialltoallw,
     (in_t b, V n, V d, KINDS t[], void *b2, V n2, V d2, KINDS t2[], C c),
     (b, n, d, t, b2, n2, d2, t2, c), mpi_all_to_all, mpi_iall_to_all,
     b == MPI_IN_PLACE ? mixed(n2, t2, others(c)) : mixed(n, t, others(c)));
BOTH(MPI_Reduce_scatter, MPI_Ireduce_scatter, (in_t b, void *b2, V n, T t, MPI_Op o, C c),
     (b, b2, n, t, o, c), mpi_all_to_all, mpi_iall_to_all, sized(sum(n, ranks(c)), t));
BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
     (in_t b, void *b2, int n, T t, MPI_Op o, C c), (b, b2, n, t, o, c), mpi_all_to_all,
     mpi_iall_to_all, sized(n, t) * ranks(c));
BOTH(MPI_Barrier, MPI_Ibarrier, (C c), (c), mpi_barrier, mpi_ibarrier, 0);
BOTH(MPI_Scan, MPI_Iscan, (in_t b, void *b2, int n, T t, MPI_Op o, C c), (b, b2, n, t, o, c),
     mpi_scan, mpi_iscan, sized(n, t));
BOTH(MPI_Exscan, MPI_Iexscan, (in_t b, void *b2, int n, T t, MPI_Op o, C c), (b, b2, n, t, o, c),
     mpi_scan, mpi_iscan, sized(n, t));

BOTH(MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
     (in_t b, int n, T t, void *b2, int n2, T t2, C c), (b, n, t, b2, n2, t2, c), mpi_neighbor,
     mpi_ineighbor, sized(n, t) * degree(c));
BOTH(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
     (in_t b, int n, T t, void *b2, V n2, V d, T t2, C c), (b, n, t, b2, n2, d, t2, c),
     mpi_neighbor, mpi_ineighbor, sized(n, t) * degree(c));
BOTH(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
     (in_t b, int n, T t, void *b2, int n2, T t2, C c), (b, n, t, b2, n2, t2, c), mpi_neighbor,
     mpi_ineighbor, sized(n, t) * degree(c));
BOTH(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
     (in_t b, V n, V d, T t, void *b2, V n2, V d2, T t2, C c), (b, n, d, t, b2, n2, d2, t2, c),
     mpi_neighbor, mpi_ineighbor, sized(sum(n, degree(c)), t));
typedef const MPI_Aint *D;
BOTH(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
     (in_t b, V n, D d, KINDS t[], void *b2, V n2, D d2, KINDS t2[], C c),
     (b, n, d, t, b2, n2, d2, t2, c), mpi_neighbor, mpi_ineighbor, mixed(n, t, degree(c)));

#if MPI_VERSION >= 4
PERSISTENT(MPI_Bcast_init, (void *b, int n, T t, int root, C c), (b, n, t, root, c),
           mpi_ione_to_all, casting(sized(n, t), root, c));
PERSISTENT(MPI_Reduce_init, (in_t b, void *b2, int n, T t, MPI_Op o, int root, C c),
           (b, b2, n, t, o, root, c), mpi_iall_to_one, REDUCE_BYTES);
PERSISTENT(MPI_Gather_init, GATHER, (b, n, t, b2, n2, t2, root, c), mpi_iall_to_one,
           giving(b, n, t, n2, NULL, t2, root, c));
PERSISTENT(MPI_Allreduce_init, (in_t b, void *b2, int n, T t, MPI_Op o, C c), (b, b2, n, t, o, c),
           mpi_iall_to_all, sized(n, t));
PERSISTENT(MPI_Allgatherv_init, (in_t b, int n, T t, void *b2, V n2, V d, T t2, C c),
           (b, n, t, b2, n2, d, t2, c), mpi_iall_to_all, sized(n, t));
PERSISTENT(MPI_Alltoall_init, (in_t b, int n, T t, void *b2, int n2, T t2, C c),
           (b, n, t, b2, n2, t2, c), mpi_iall_to_all, sized(n, t) * others(c));
PERSISTENT(MPI_Alltoallv_init, (in_t b, V n, V d, T t, void *b2, V n2, V d2, T t2, C c),
           (b, n, d, t, b2, n2, d2, t2, c), mpi_iall_to_all, sized(sum(n, others(c)), t));
PERSISTENT(MPI_Reduce_scatter_block_init, (in_t b, void *b2, int n, T t, MPI_Op o, C c),
           (b, b2, n, t, o, c), mpi_iall_to_all, sized(n, t) * ranks(c));
PERSISTENT(MPI_Barrier_init, (C c), (c), mpi_ibarrier, 0);
PERSISTENT(MPI_Scan_init, (in_t b, void *b2, int n, T t, MPI_Op o, C c), (b, b2, n, t, o, c),
           mpi_iscan, sized(n, t));
PERSISTENT(MPI_Neighbor_alltoall_init, (in_t b, int n, T t, void *b2, int n2, T t2, C c),
           (b, n, t, b2, n2, t2, c), mpi_ineighbor, sized(n, t) * degree(c));

typedef MPI_Count N;
typedef const MPI_Count *VC;
WRAP(MPI_Bcast_c, (void *b, N n, T t, int root, C c), (b, n, t, root, c), mpi_one_to_all,
     casting(sized(n, t), root, c));
WRAP(MPI_Reduce_c, (in_t b, void *b2, N n, T t, MPI_Op o, int root, C c), (b, b2, n, t, o, root, c),
     mpi_all_to_one, REDUCE_BYTES);
BOTH(MPI_Allreduce_c, MPI_Iallreduce_c, (in_t b, void *b2, N n, T t, MPI_Op o, C c),
     (b, b2, n, t, o, c), mpi_all_to_all, mpi_iall_to_all, sized(n, t));
WRAP(MPI_Allgatherv_c, (in_t b, N n, T t, void *b2, VC n2, D d, T t2, C c),
     (b, n, t, b2, n2, d, t2, c), mpi_all_to_all, sized(n, t));
WRAP(MPI_Alltoallv_c, (in_t b, VC n, D d, T t, void *b2, VC n2, D d2, T t2, C c),
     (b, n, d, t, b2, n2, d2, t2, c), mpi_all_to_all, sized(sum_c(n, others(c)), t));
WRAP(MPI_Scan_c, (in_t b, void *b2, N n, T t, MPI_Op o, C c), (b, b2, n, t, o, c), mpi_scan,
     sized(n, t));
#endif
