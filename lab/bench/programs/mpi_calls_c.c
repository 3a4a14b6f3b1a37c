/* mpi_calls_c: the calls that mpi_calls.c repeats, from C. */
#include <mpi.h>
#include <stddef.h>

enum { TAG = 1, NEVER_TAG = 2 };

static int self, other;
static double in, out = 1;

void bench_start(int *rank, int *size)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    self = *rank;
    other = 1 - *rank;
}

void bench_agree(int *count)
{
    MPI_Bcast(count, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

void bench_stop(void)
{
    MPI_Finalize();
}

static void send_receive(int count)
{
    for (int i = 0; i < count; i++) {
        if (self == 0) {
            MPI_Send(&out, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
            MPI_Recv(&in, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&in, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
        }
    }
}

static void exchange(int count, int partner, MPI_Comm comm)
{
    MPI_Request receive, send;
    for (int i = 0; i < count; i++) {
        MPI_Irecv(&in, 1, MPI_DOUBLE, partner, TAG, comm, &receive);
        MPI_Isend(&out, 1, MPI_DOUBLE, partner, TAG, comm, &send);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

static void reduce(int count, MPI_Comm comm)
{
    for (int i = 0; i < count; i++)
        MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void test(int count)
{
    MPI_Request request;
    int flag;
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, NEVER_TAG, MPI_COMM_SELF, &request);
    for (int i = 0; i < count; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void bench_repeat(int operation, int count)
{
    int flag;
    switch (operation) {
    case 0:
        send_receive(count);
        break;
    case 1:
        exchange(count, other, MPI_COMM_WORLD);
        break;
    case 2:
        reduce(count, MPI_COMM_WORLD);
        break;
    case 3:
        for (int i = 0; i < count; i++)
            MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 4:
        reduce(count, MPI_COMM_SELF);
        break;
    case 5:
        for (int i = 0; i < count; i++)
            MPI_Iprobe(0, TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        break;
    case 6:
        exchange(count, 0, MPI_COMM_SELF);
        break;
    case 7:
        test(count);
        break;
    case 8:
        exchange(count, 0, MPI_COMM_WORLD);
        break;
    default:
        break;
    }
}
