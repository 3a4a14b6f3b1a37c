/* One-sided: windows of every kind, put, get, accumulate, and all ways to synchronise. */
#include "parts.h"

#define N 32

static double out[N], in[N], room[N];

static int right(void)
{
    return (rank + 1) % size;
}

static void fences(MPI_Win w)
{
    OK(MPI_Win_fence(0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Put(out, 3, MPI_DOUBLE, right(), 0, 3, MPI_DOUBLE, w)), DID(mpi_put, 1, DOUBLES(3));
    OK(MPI_Win_fence(0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Get(in, 4, MPI_DOUBLE, right(), 4, 4, MPI_DOUBLE, w)), DID(mpi_get, 1, DOUBLES(4));
    OK(MPI_Win_fence(0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Accumulate(out, 5, MPI_DOUBLE, right(), 0, 5, MPI_DOUBLE, MPI_SUM, w));
    DID(mpi_accumulate, 1, DOUBLES(5));
    OK(MPI_Win_fence(0, w)), DID(mpi_rma_sync, 1, 0);
}

/* Post, start, complete, wait: to the right, from the left. */
static void groups(MPI_Win w)
{
    MPI_Group world, from, to;
    int l = (rank + size - 1) % size, r = right(), flag = 0;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &l, &from);
    MPI_Group_incl(world, 1, &r, &to);
    for (int polled = 0; polled < 2; polled++) {
        OK(MPI_Win_post(from, 0, w)), OK(MPI_Win_start(to, 0, w)), DID(mpi_rma_sync, 2, 0);
        OK(MPI_Put(out, 2, MPI_DOUBLE, r, 0, 2, MPI_DOUBLE, w)), DID(mpi_put, 1, DOUBLES(2));
        OK(MPI_Win_complete(w)), DID(mpi_rma_sync, 1, 0);
        if (!polled) {
            OK(MPI_Win_wait(w)), DID(mpi_rma_sync, 1, 0);
            continue;
        }
        do {
            OK(MPI_Win_test(w, &flag)), DID(mpi_rma_sync, 1, 0);
        } while (!flag);
    }
    MPI_Group_free(&world), MPI_Group_free(&from), MPI_Group_free(&to);
}

static void locks(MPI_Win w)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Put(out, 6, MPI_DOUBLE, right(), 0, 6, MPI_DOUBLE, w)), DID(mpi_put, 1, DOUBLES(6));
    OK(MPI_Win_unlock(right(), w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Win_lock_all(0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Get(in, 2, MPI_DOUBLE, right(), 0, 2, MPI_DOUBLE, w)), DID(mpi_get, 1, DOUBLES(2));
    OK(MPI_Win_flush(right(), w)), OK(MPI_Win_flush_local(right(), w)), DID(mpi_rma_sync, 2, 0);
    OK(MPI_Win_flush_all(w)), OK(MPI_Win_flush_local_all(w)), DID(mpi_rma_sync, 2, 0);
    OK(MPI_Win_sync(w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Win_unlock_all(w)), DID(mpi_rma_sync, 1, 0);
}

void part_rma(void)
{
    MPI_Win w;
    void *base;
    OK(MPI_Win_create(room, sizeof room, sizeof *room, MPI_INFO_NULL, WORLD, &w));
    DID(mpi_window, 1, 0);
    fences(w);
    groups(w);
    locks(w);
    OK(MPI_Win_free(&w)), DID(mpi_window, 1, 0);
    OK(MPI_Win_allocate(256, 8, MPI_INFO_NULL, WORLD, &base, &w)), DID(mpi_window, 1, 0);
    fences(w);
    OK(MPI_Win_free(&w)), DID(mpi_window, 1, 0);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &w)), DID(mpi_window, 1, 0);
    OK(MPI_Win_attach(w, room, sizeof room)), DID(mpi_window, 1, 0);
    OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
    OK(MPI_Win_detach(w, room)), DID(mpi_window, 1, 0);
    OK(MPI_Win_free(&w)), DID(mpi_window, 1, 0);
}

void part_atomics(void)
{
    MPI_Request r[4];
    MPI_Win w;
    MPI_Comm node;
    void *base;
    long one = 1, old, none = 0;
    OK(MPI_Win_allocate(1024, 8, MPI_INFO_NULL, WORLD, &base, &w)), DID(mpi_window, 1, 0);
    OK(MPI_Win_lock_all(0, w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Rput(out, 2, MPI_DOUBLE, right(), 0, 2, MPI_DOUBLE, w, &r[0]));
    OK(MPI_Rget(in, 3, MPI_DOUBLE, right(), 8, 3, MPI_DOUBLE, w, &r[1]));
    OK(MPI_Raccumulate(out, 4, MPI_DOUBLE, right(), 16, 4, MPI_DOUBLE, MPI_SUM, w, &r[2]));
    OK(MPI_Rget_accumulate(out, 5, MPI_DOUBLE, room, 5, MPI_DOUBLE, right(), 32, 5, MPI_DOUBLE,
                           MPI_SUM, w, &r[3]));
    DID(mpi_put, 1, DOUBLES(2)), DID(mpi_get, 1, DOUBLES(3)), DID(mpi_accumulate, 2, DOUBLES(9));
    OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Get_accumulate(out, 6, MPI_DOUBLE, room, 6, MPI_DOUBLE, right(), 48, 6, MPI_DOUBLE,
                          MPI_SUM, w));
    DID(mpi_accumulate, 1, DOUBLES(6));
    OK(MPI_Win_flush(right(), w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, right(), 100, MPI_SUM, w));
    OK(MPI_Win_flush(right(), w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Compare_and_swap(&one, &none, &old, MPI_LONG, right(), 101, w));
    DID(mpi_accumulate, 2, 2 * sizeof(long));
    OK(MPI_Win_unlock_all(w)), DID(mpi_rma_sync, 1, 0);
    OK(MPI_Win_free(&w)), DID(mpi_window, 1, 0);
    if (getenv("SEVERAL_NODES") == NULL) {
        OK(MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
        OK(MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, node, &base, &w)), DID(mpi_window, 1, 0);
        OK(MPI_Win_free(&w)), OK(MPI_Comm_free(&node)), DID(mpi_window, 1, 0);
        DID(mpi_comm, 2, 0);
    }
}
