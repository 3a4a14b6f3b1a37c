/* Collectives of every shape: blocking, in place, non-blocking, persistent, neighbourhood, between
 * groups. */
#include "parts.h"

#define MAX 64 /* ranks at most */
#define COMM WORLD

static int out[MAX * 32], in[MAX * 32];
static int counts[MAX], displs[MAX], byte_displs[MAX];
static MPI_Datatype kinds[MAX];

/* The v forms: rank i's part is i + 1 ints. */
static int triangle(int n)
{
    return n * (n + 1) / 2;
}

static void set_up(int n)
{
    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        displs[i] = triangle(i);
        byte_displs[i] = (int)INTS(displs[i]);
        kinds[i] = MPI_INT;
    }
}

static void even(int n, int each)
{
    for (int i = 0; i < n; i++) {
        counts[i] = each;
        displs[i] = i * each;
        byte_displs[i] = (int)INTS(displs[i]);
        kinds[i] = MPI_INT;
    }
}

void part_blocking(void)
{
    int root = size - 1, all = triangle(size);
    set_up(size);
    OK(MPI_Bcast(in, 7, MPI_INT, root, COMM)), DID(mpi_one_to_all, 1, INTS(7));
    OK(MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, root, COMM));
    DID(mpi_one_to_all, 1, rank == root ? INTS(3 * size) : INTS(3));
    OK(MPI_Scatterv(out, counts, displs, MPI_INT, in, rank + 1, MPI_INT, root, COMM));
    DID(mpi_one_to_all, 1, rank == root ? INTS(all) : INTS(rank + 1));
    OK(MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, COMM)), DID(mpi_all_to_one, 1, INTS(5));
    OK(MPI_Gather(out, 4, MPI_INT, in, 4, MPI_INT, root, COMM)), DID(mpi_all_to_one, 1, INTS(4));
    OK(MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, root, COMM));
    DID(mpi_all_to_one, 1, INTS(rank + 1));
    OK(MPI_Allreduce(out, in, 9, MPI_INT, MPI_MAX, COMM)), DID(mpi_all_to_all, 1, INTS(9));
    OK(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, COMM)), DID(mpi_all_to_all, 1, INTS(2));
    OK(MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(rank + 1));
    OK(MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(3 * size));
    OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, COMM));
    DID(mpi_all_to_all, 1, INTS(all));
    OK(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, COMM));
    DID(mpi_all_to_all, 1, INTS(2 * size));
    OK(MPI_Barrier(COMM)), DID(mpi_barrier, 1, 0);
    OK(MPI_Scan(out, in, 6, MPI_INT, MPI_SUM, COMM)), DID(mpi_scan, 1, INTS(6));
    OK(MPI_Exscan(out, in, 8, MPI_INT, MPI_SUM, COMM)), DID(mpi_scan, 1, INTS(8));
    even(size, 2);
    OK(MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(2 * size));
    OK(MPI_Alltoallw(out, counts, byte_displs, kinds, in, counts, byte_displs, kinds, COMM));
    DID(mpi_all_to_all, 1, INTS(2 * size));
}

void part_inplace(void)
{
    int root = 0, me = rank == root, all = triangle(size);
    set_up(size);
    OK(MPI_Scatter(out, 3, MPI_INT, me ? MPI_IN_PLACE : in, 3, MPI_INT, root, COMM));
    DID(mpi_one_to_all, 1, me ? INTS(3 * size) : INTS(3));
    OK(MPI_Scatterv(out, counts, displs, MPI_INT, me ? MPI_IN_PLACE : in, rank + 1, MPI_INT, root,
                    COMM));
    DID(mpi_one_to_all, 1, me ? INTS(all) : INTS(rank + 1));
    OK(MPI_Reduce(me ? MPI_IN_PLACE : out, in, 5, MPI_INT, MPI_SUM, root, COMM));
    DID(mpi_all_to_one, 1, INTS(5));
    OK(MPI_Gather(me ? MPI_IN_PLACE : out, me ? 0 : 4, MPI_INT, in, 4, MPI_INT, root, COMM));
    DID(mpi_all_to_one, 1, INTS(4));
    OK(MPI_Gatherv(me ? MPI_IN_PLACE : out, me ? 0 : rank + 1, MPI_INT, in, counts, displs, MPI_INT,
                   root, COMM));
    DID(mpi_all_to_one, 1, INTS(rank + 1));
    OK(MPI_Allreduce(MPI_IN_PLACE, in, 9, MPI_INT, MPI_MAX, COMM));
    DID(mpi_all_to_all, 1, INTS(9));
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(2));
    OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(rank + 1));
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT, COMM));
    DID(mpi_all_to_all, 1, INTS(3 * size));
    OK(MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, COMM));
    DID(mpi_all_to_all, 1, INTS(all));
    OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, COMM));
    DID(mpi_all_to_all, 1, INTS(2 * size));
    OK(MPI_Scan(MPI_IN_PLACE, in, 6, MPI_INT, MPI_SUM, COMM)), DID(mpi_scan, 1, INTS(6));
    OK(MPI_Exscan(MPI_IN_PLACE, in, 8, MPI_INT, MPI_SUM, COMM)), DID(mpi_scan, 1, INTS(8));
    even(size, 4);
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT,
                     COMM));
    DID(mpi_all_to_all, 1, INTS(4 * size));
    OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, byte_displs, kinds, COMM));
    DID(mpi_all_to_all, 1, INTS(4 * size));
}

static void finish(MPI_Request *request)
{
    OK(MPI_Wait(request, IGNORE)), DID(mpi_wait, 1, 0);
}

void part_ionblocking(void)
{
    int root = size - 1, all = triangle(size);
    MPI_Request r;
    set_up(size);
    OK(MPI_Ibcast(in, 7, MPI_INT, root, COMM, &r)), DID(mpi_ione_to_all, 1, INTS(7)), finish(&r);
    OK(MPI_Iscatter(out, 3, MPI_INT, in, 3, MPI_INT, root, COMM, &r)), finish(&r);
    DID(mpi_ione_to_all, 1, rank == root ? INTS(3 * size) : INTS(3));
    OK(MPI_Iscatterv(out, counts, displs, MPI_INT, in, rank + 1, MPI_INT, root, COMM, &r));
    DID(mpi_ione_to_all, 1, rank == root ? INTS(all) : INTS(rank + 1)), finish(&r);
    OK(MPI_Ireduce(out, in, 5, MPI_INT, MPI_SUM, root, COMM, &r)), finish(&r);
    DID(mpi_iall_to_one, 1, INTS(5));
    OK(MPI_Igather(out, 4, MPI_INT, in, 4, MPI_INT, root, COMM, &r)), finish(&r);
    DID(mpi_iall_to_one, 1, INTS(4));
    OK(MPI_Igatherv(out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, root, COMM, &r));
    DID(mpi_iall_to_one, 1, INTS(rank + 1)), finish(&r);
    OK(MPI_Iallreduce(out, in, 9, MPI_INT, MPI_MAX, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(9));
    OK(MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(2));
    OK(MPI_Iallgatherv(out, rank + 1, MPI_INT, in, counts, displs, MPI_INT, COMM, &r));
    DID(mpi_iall_to_all, 1, INTS(rank + 1)), finish(&r);
    OK(MPI_Ialltoall(out, 3, MPI_INT, in, 3, MPI_INT, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(3 * size));
    OK(MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(all));
    OK(MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(2 * size));
    OK(MPI_Ibarrier(COMM, &r)), DID(mpi_ibarrier, 1, 0), finish(&r);
    OK(MPI_Iscan(out, in, 6, MPI_INT, MPI_SUM, COMM, &r)), DID(mpi_iscan, 1, INTS(6)), finish(&r);
    OK(MPI_Iexscan(out, in, 8, MPI_INT, MPI_SUM, COMM, &r)), DID(mpi_iscan, 1, INTS(8));
    finish(&r);
    even(size, 2);
    OK(MPI_Ialltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, COMM, &r));
    DID(mpi_iall_to_all, 1, INTS(2 * size)), finish(&r);
    OK(MPI_Ialltoallw(out, counts, byte_displs, kinds, in, counts, byte_displs, kinds, COMM, &r));
    DID(mpi_iall_to_all, 1, INTS(2 * size)), finish(&r);
    OK(MPI_Iallreduce(MPI_IN_PLACE, in, 9, MPI_INT, MPI_MAX, COMM, &r)), finish(&r);
    DID(mpi_iall_to_all, 1, INTS(9));
}

#if MPI_VERSION >= 4
/* Starts a persistent collective twice; what it counts as is counted at each start. */
static void twice(MPI_Request *r, enum account_class klass, long long bytes)
{
    DID(mpi_request, 1, 0);
    for (int i = 0; i < 2; i++) {
        OK(MPI_Start(r)), DID(mpi_request, 1, 0), account_add(klass, 1, bytes);
        finish(r);
    }
    OK(MPI_Request_free(r)), DID(mpi_request, 1, 0);
}

/* Not Scatter_init: MPICH 4.0.2 starts it wrongly on three ranks and more. */
void part_coll_persistent(void)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request r;
    even(size, 2);
    OK(MPI_Bcast_init(in, 7, MPI_INT, 0, COMM, info, &r));
    twice(&r, C_mpi_ione_to_all, INTS(7));
    OK(MPI_Reduce_init(out, in, 5, MPI_INT, MPI_SUM, 0, COMM, info, &r));
    twice(&r, C_mpi_iall_to_one, INTS(5));
    OK(MPI_Gather_init(out, 4, MPI_INT, in, 4, MPI_INT, 0, COMM, info, &r));
    twice(&r, C_mpi_iall_to_one, INTS(4));
    OK(MPI_Allreduce_init(out, in, 9, MPI_INT, MPI_SUM, COMM, info, &r));
    twice(&r, C_mpi_iall_to_all, INTS(9));
    OK(MPI_Allgatherv_init(out, 2, MPI_INT, in, counts, displs, MPI_INT, COMM, info, &r));
    twice(&r, C_mpi_iall_to_all, INTS(2));
    OK(MPI_Alltoall_init(out, 3, MPI_INT, in, 3, MPI_INT, COMM, info, &r));
    twice(&r, C_mpi_iall_to_all, INTS(3 * size));
    OK(MPI_Alltoallv_init(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, COMM, info,
                          &r));
    twice(&r, C_mpi_iall_to_all, INTS(2 * size));
    OK(MPI_Reduce_scatter_block_init(out, in, 2, MPI_INT, MPI_SUM, COMM, info, &r));
    twice(&r, C_mpi_iall_to_all, INTS(2 * size));
    OK(MPI_Barrier_init(COMM, info, &r));
    twice(&r, C_mpi_ibarrier, 0);
    OK(MPI_Scan_init(out, in, 6, MPI_INT, MPI_SUM, COMM, info, &r));
    twice(&r, C_mpi_iscan, INTS(6));
}
#else
void part_coll_persistent(void) {}
#endif

/* All neighbourhood forms on a communicator with so many neighbours to send to and receive from. */
static void neighbours(MPI_Comm comm, int in_degree, int out_degree)
{
    MPI_Aint steps[MAX];
    MPI_Request r;
    int n = in_degree > out_degree ? in_degree : out_degree;
    long long bytes = INTS(2 * out_degree);
    even(n > 0 ? n : 1, 2);
    for (int i = 0; i < n; i++) {
        steps[i] = INTS(2 * i);
    }
    OK(MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm));
    OK(MPI_Neighbor_allgatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, comm));
    OK(MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm));
    OK(MPI_Neighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm));
    OK(MPI_Neighbor_alltoallw(out, counts, steps, kinds, in, counts, steps, kinds, comm));
    DID(mpi_neighbor, 5, 5 * bytes);
    OK(MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm, &r)), finish(&r);
    OK(MPI_Ineighbor_allgatherv(out, 2, MPI_INT, in, counts, displs, MPI_INT, comm, &r));
    finish(&r);
    OK(MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm, &r)), finish(&r);
    OK(MPI_Ineighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm,
                               &r));
    finish(&r);
    OK(MPI_Ineighbor_alltoallw(out, counts, steps, kinds, in, counts, steps, kinds, comm, &r));
    finish(&r);
    DID(mpi_ineighbor, 5, 5 * bytes);
#if MPI_VERSION >= 4
    OK(MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, MPI_INFO_NULL, &r));
    twice(&r, C_mpi_ineighbor, bytes);
#endif
}

void part_neighbor(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 1}, sources[2], targets[2], all, *edges, *ends;
    MPI_Comm comm;
    MPI_Dims_create(size, 2, dims);
    OK(MPI_Cart_create(COMM, 2, dims, periods, 0, &comm)), DID(mpi_comm, 1, 0);
    neighbours(comm, 4, 4);
    OK(MPI_Comm_free(&comm)), DID(mpi_comm, 1, 0);
    /* Every rank sends to the next one; rank 0 has two edges from the last one. */
    sources[0] = sources[1] = (rank + size - 1) % size;
    targets[0] = targets[1] = (rank + 1) % size;
    all = rank == 0 ? 2 : 1;
    OK(MPI_Dist_graph_create_adjacent(COMM, all, sources, MPI_UNWEIGHTED, rank == size - 1 ? 2 : 1,
                                      targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    DID(mpi_comm, 1, 0);
    neighbours(comm, all, rank == size - 1 ? 2 : 1);
    OK(MPI_Comm_free(&comm)), DID(mpi_comm, 1, 0);
    /* A graph: a ring again, with both neighbours listed. */
    edges = malloc(2 * (size_t)size * sizeof *edges);
    ends = malloc((size_t)size * sizeof *ends);
    for (int i = 0; i < size; i++) {
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
        ends[i] = 2 * (i + 1);
    }
    OK(MPI_Graph_create(COMM, size, ends, edges, 0, &comm)), DID(mpi_comm, 1, 0);
    neighbours(comm, 2, 2);
    OK(MPI_Comm_free(&comm)), DID(mpi_comm, 1, 0);
    free(edges);
    free(ends);
}

/* Collectives between two groups; MPI_ROOT passes the data, its own group stays out of it. */
static void between(MPI_Comm inter, int first)
{
    int remote, local, me, root;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_size(inter, &local);
    MPI_Comm_rank(inter, &me);
    root = !first ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
    even(remote > local ? remote : local, 2);
    OK(MPI_Barrier(inter)), DID(mpi_barrier, 1, 0);
    OK(MPI_Bcast(in, 7, MPI_INT, root, inter));
    DID(mpi_one_to_all, 1, root == MPI_PROC_NULL ? 0 : INTS(7));
    OK(MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, root, inter));
    DID(mpi_one_to_all, 1,
        root == MPI_PROC_NULL ? 0
        : root == MPI_ROOT    ? INTS(3 * remote)
                              : INTS(3));
    OK(MPI_Scatterv(out, counts, displs, MPI_INT, in, 2, MPI_INT, root, inter));
    DID(mpi_one_to_all, 1,
        root == MPI_PROC_NULL ? 0
        : root == MPI_ROOT    ? INTS(2 * remote)
                              : INTS(2));
    OK(MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, inter));
    DID(mpi_all_to_one, 1, root == 0 ? INTS(5) : 0);
    OK(MPI_Gather(out, 4, MPI_INT, in, 4, MPI_INT, root, inter));
    DID(mpi_all_to_one, 1, root == 0 ? INTS(4) : 0);
    OK(MPI_Allreduce(out, in, 9, MPI_INT, MPI_SUM, inter)), DID(mpi_all_to_all, 1, INTS(9));
    OK(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, inter)), DID(mpi_all_to_all, 1, INTS(2));
    OK(MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, inter));
    DID(mpi_all_to_all, 1, INTS(3 * remote));
    OK(MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, inter));
    DID(mpi_all_to_all, 1, INTS(2 * remote));
}

void part_inter(void)
{
    MPI_Comm half, inter, merged;
    int first = rank < size / 2;
    if (size < 2) {
        return;
    }
    OK(MPI_Comm_split(COMM, first, rank, &half)), DID(mpi_comm, 1, 0);
    OK(MPI_Intercomm_create(half, 0, COMM, first ? size / 2 : 0, 5, &inter)), DID(mpi_comm, 1, 0);
    between(inter, first);
    OK(MPI_Intercomm_merge(inter, !first, &merged)), DID(mpi_comm, 1, 0);
    OK(MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, half)), DID(mpi_all_to_all, 1, INTS(3));
    OK(MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, merged)), DID(mpi_all_to_all, 1, INTS(3));
    OK(MPI_Comm_free(&merged)), OK(MPI_Comm_free(&inter)), OK(MPI_Comm_free(&half));
    DID(mpi_comm, 3, 0);
}
