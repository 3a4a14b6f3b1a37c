/* Communicators, large counts, and a program that calls PMPI_ itself. */
#include "parts.h"

static int out[64], in[64];

void part_comm(void)
{
    int dims[1] = {size}, periods[1] = {0}, keep[1] = {1}, source = rank, degree = 1;
    int target = (rank + 1) % size;
    MPI_Comm a, b;
    MPI_Group group;
    MPI_Request r;
    OK(MPI_Comm_dup(WORLD, &a)), DID(mpi_comm, 1, 0);
    OK(MPI_Barrier(a)), DID(mpi_barrier, 1, 0);
    OK(MPI_Comm_free(&a)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &a)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_split(a, rank % 2, rank, &b)), DID(mpi_comm, 1, 0);
    OK(MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, b)), DID(mpi_all_to_all, 1, INTS(2));
    OK(MPI_Comm_free(&a)), OK(MPI_Comm_free(&b)), DID(mpi_comm, 2, 0);
    OK(MPI_Comm_idup(WORLD, &a, &r)), DID(mpi_comm, 1, 0);
    OK(MPI_Wait(&r, IGNORE)), DID(mpi_wait, 1, 0);
    MPI_Comm_group(a, &group);
    OK(MPI_Comm_create(a, group, &b)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_free(&b)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_create_group(a, group, 3, &b)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_free(&b)), OK(MPI_Comm_free(&a)), DID(mpi_comm, 2, 0);
    MPI_Group_free(&group);
    OK(MPI_Cart_create(WORLD, 1, dims, periods, 0, &a)), DID(mpi_comm, 1, 0);
    OK(MPI_Cart_sub(a, keep, &b)), DID(mpi_comm, 1, 0);
    OK(MPI_Comm_free(&b)), OK(MPI_Comm_free(&a)), DID(mpi_comm, 2, 0);
    OK(MPI_Dist_graph_create(WORLD, 1, &source, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                             &a));
    OK(MPI_Comm_free(&a)), DID(mpi_comm, 2, 0);
}

#if MPI_VERSION >= 4
static void large_windows(void)
{
    MPI_Win w;
    void *base;
    OK(MPI_Win_allocate_c(64, (MPI_Aint)1, MPI_INFO_NULL, WORLD, &base, &w)), DID(mpi_window, 1, 0);
    OK(MPI_Win_fence(0, w));
    OK(MPI_Put_c(out, 3, MPI_INT, rank, 0, 3, MPI_INT, w)), DID(mpi_put, 1, INTS(3));
    OK(MPI_Get_c(in, 2, MPI_INT, rank, 16, 2, MPI_INT, w)), DID(mpi_get, 1, INTS(2));
    OK(MPI_Accumulate_c(out, 1, MPI_INT, rank, 32, 1, MPI_INT, MPI_SUM, w));
    DID(mpi_accumulate, 1, INTS(1));
    OK(MPI_Win_fence(0, w)), DID(mpi_rma_sync, 2, 0);
    OK(MPI_Win_free(&w)), DID(mpi_window, 1, 0);
}

static void large_file(void)
{
    char path[512];
    MPI_File f;
    MPI_Offset at = (MPI_Offset)rank * 64;
    snprintf(path, sizeof path, "%s/large", getenv("DATA") ? getenv("DATA") : "/tmp");
    OK(MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    OK(MPI_File_write_at_c(f, at, out, 3, MPI_INT, IGNORE)), DID(mpiio_write, 1, INTS(3));
    OK(MPI_File_write_at_all_c(f, at, out, 2, MPI_INT, IGNORE)), DID(mpiio_write_all, 1, INTS(2));
    OK(MPI_File_read_at_c(f, at, in, 1, MPI_INT, IGNORE)), DID(mpiio_read, 1, INTS(1));
    OK(MPI_File_close(&f)), DID(mpiio_open, 1, 0), DID(mpiio_close, 1, 0);
}

void part_large(void)
{
    MPI_Count n = 6, counts[64];
    MPI_Aint displs[64];
    MPI_Request r[2];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
    OK(MPI_Irecv_c(in, n, MPI_INT, left, 1, WORLD, &r[0])), DID(mpi_irecv, 1, INTS(6));
    OK(MPI_Send_c(out, n, MPI_INT, right, 1, WORLD)), DID(mpi_send, 1, INTS(6));
    OK(MPI_Wait(&r[0], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Isend_c(out, n, MPI_INT, right, 1, WORLD, &r[0])), DID(mpi_isend, 1, INTS(6));
    OK(MPI_Recv_c(in, n + 1, MPI_INT, left, 1, WORLD, IGNORE)), DID(mpi_recv, 1, INTS(6));
    OK(MPI_Wait(&r[0], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Sendrecv_c(out, n, MPI_INT, right, 1, in, n, MPI_INT, left, 1, WORLD, IGNORE));
    DID(mpi_sendrecv, 1, INTS(6)), GOT(INTS(6));
    OK(MPI_Bcast_c(in, n, MPI_INT, 0, WORLD)), DID(mpi_one_to_all, 1, INTS(6));
    OK(MPI_Reduce_c(out, in, n, MPI_INT, MPI_SUM, 0, WORLD)), DID(mpi_all_to_one, 1, INTS(6));
    OK(MPI_Allreduce_c(out, in, n, MPI_INT, MPI_SUM, WORLD)), DID(mpi_all_to_all, 1, INTS(6));
    OK(MPI_Allgatherv_c(out, 1, MPI_INT, in, counts, displs, MPI_INT, WORLD));
    DID(mpi_all_to_all, 1, INTS(1));
    OK(MPI_Alltoallv_c(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, WORLD));
    DID(mpi_all_to_all, 1, INTS(size));
    OK(MPI_Scan_c(out, in, n, MPI_INT, MPI_SUM, WORLD)), DID(mpi_scan, 1, INTS(6));
    OK(MPI_Iallreduce_c(out, in, n, MPI_INT, MPI_SUM, WORLD, &r[0]));
    DID(mpi_iall_to_all, 1, INTS(6));
    OK(MPI_Wait(&r[0], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Recv_init_c(in, n, MPI_INT, left, 1, WORLD, &r[0])), DID(mpi_request, 1, 0);
    OK(MPI_Send_init_c(out, n, MPI_INT, right, 1, WORLD, &r[1])), DID(mpi_request, 1, 0);
    OK(MPI_Startall(2, r)), DID(mpi_request, 1, 0), DID(mpi_isend, 1, INTS(6));
    DID(mpi_irecv, 1, INTS(6));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Request_free(&r[0])), OK(MPI_Request_free(&r[1])), DID(mpi_request, 2, 0);
    large_windows();
    large_file();
}
#else
void part_large(void) {}
#endif

/* Some codes call PMPI_ themselves: counted all the same. */
void part_direct(void)
{
    MPI_Request r;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    OK(PMPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
    OK(PMPI_Irecv(in, 4, MPI_INT, left, 1, WORLD, &r)), DID(mpi_irecv, 1, INTS(4));
    OK(PMPI_Send(out, 4, MPI_INT, right, 1, WORLD)), DID(mpi_send, 1, INTS(4));
    OK(PMPI_Wait(&r, IGNORE)), DID(mpi_wait, 1, 0);
    OK(PMPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, WORLD)), DID(mpi_all_to_all, 1, INTS(5));
    OK(PMPI_Bcast(in, 5, MPI_INT, 0, WORLD)), DID(mpi_one_to_all, 1, INTS(5));
}
