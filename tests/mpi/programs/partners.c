/* Passes known bytes to known partners by every way there is, into buffers with room to spare, and says on
 * its standard output what each rank sent to and received from which: "peer RANK PARTNER SENT_OPS SENT_BYTES
 * RECEIVED_OPS RECEIVED_BYTES". argv[1]: "status", or "ignore": then all statuses are ignored. */
#include "account.h"
#include <mpi.h>

#define MOST 16
#define ROOM 50000
#define OK(call) MUST((call) == MPI_SUCCESS)
#define WORLD MPI_COMM_WORLD

static int rank, size, ignoring;
static long long sent[MOST][2], received[MOST][2];
static char out[ROOM], in[256][256], large[ROOM];
static MPI_Status statuses[256];
#define STATUS (ignoring ? MPI_STATUS_IGNORE : &statuses[0])
#define STATUSES (ignoring ? MPI_STATUSES_IGNORE : statuses)

static void sends(int to, long long bytes)
{
    sent[to][0]++;
    sent[to][1] += bytes;
}

static void receives(int from, long long bytes)
{
    received[from][0]++;
    received[from][1] += bytes;
}

static int right(void)
{
    return (rank + 1) % size;
}
static int left(void)
{
    return (rank + size - 1) % size;
}
/* Backwards, a rank's number and that of a rank in the world. */
static int back(int of)
{
    return size - 1 - of;
}

/* As in NPB's and other codes: messages of changing size into a buffer for the largest. */
static void sendrecvs(void)
{
    for (int i = 0; i < 200; i++) {
        int bytes = 1 + i * 5 % 1009;
        OK(MPI_Sendrecv(out, bytes, MPI_BYTE, right(), 1, large, ROOM, MPI_BYTE,
                        i % 2 ? MPI_ANY_SOURCE : left(), 1, WORLD, STATUS));
        sends(right(), bytes), receives(left(), bytes);
        DID(mpi_sendrecv, 1, bytes), GOT(bytes);
    }
    OK(MPI_Sendrecv_replace(large, 77, MPI_BYTE, right(), 1, left(), 1, WORLD, STATUS));
    sends(right(), 77), receives(left(), 77), DID(mpi_sendrecv, 1, 77), GOT(77);
    OK(MPI_Sendrecv(out, 9, MPI_BYTE, MPI_PROC_NULL, 1, large, ROOM, MPI_BYTE, MPI_PROC_NULL, 1,
                    WORLD, STATUS));
    DID(mpi_sendrecv, 1, 9);
}

static void blocking(MPI_Comm reversed)
{
    MPI_Request r;
    for (int i = 0; i < 6; i++) {
        OK(MPI_Isend(out, 10 + i, MPI_BYTE, back(right()), 2, reversed, &r));
        sends(right(), 10 + i), DID(mpi_isend, 1, 10 + i);
        OK(MPI_Recv(large, ROOM, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : back(left()), 2, reversed,
                    STATUS));
        receives(left(), 10 + i), DID(mpi_recv, 1, 10 + i);
        OK(MPI_Wait(&r, STATUS));
    }
}

/* n receives and as many sends, each of its own size. */
static void start(MPI_Request *r, int n, MPI_Comm comm, int from, int to)
{
    for (int i = 0; i < n; i++) {
        OK(MPI_Irecv(in[i], 256, MPI_BYTE, i % 3 ? from : MPI_ANY_SOURCE, 10 + i, comm, &r[2 * i]));
        receives(left(), 1 + i), DID(mpi_irecv, 1, 1 + i);
        OK(MPI_Isend(out, 1 + i, MPI_BYTE, to, 10 + i, comm, &r[2 * i + 1]));
        sends(right(), 1 + i), DID(mpi_isend, 1, 1 + i);
    }
}

static void completions(MPI_Comm reversed)
{
    MPI_Request r[256];
    MPI_Comm gone;
    int done, flag, index, which[256];
    start(r, 120, reversed, back(left()), back(right())); /* more than lie on the stack */
    OK(MPI_Waitall(240, r, STATUSES));
    start(r, 5, WORLD, left(), right());
    for (int i = 0; i < 10; i++) {
        OK(MPI_Waitany(10, r, &index, STATUS));
    }
    start(r, 5, WORLD, left(), right());
    for (int rest = 10; rest > 0; rest -= done) {
        OK(MPI_Waitsome(10, r, &done, which, STATUSES));
    }
    start(r, 5, reversed, back(left()), back(right()));
    for (int rest = 10; rest > 0; rest -= done) {
        OK(MPI_Testsome(10, r, &done, which, STATUSES));
    }
    start(r, 5, WORLD, left(), right());
    for (int i = 0; i < 10; i += flag != 0) {
        OK(MPI_Testany(10, r, &index, &flag, STATUS));
    }
    start(r, 5, WORLD, left(), right());
    do {
        OK(MPI_Testall(10, r, &flag, STATUSES));
    } while (!flag);
    start(r, 3, WORLD, left(), right());
    for (int i = 0; i < 6; i++) {
        do {
            OK(MPI_Test(&r[i], &flag, STATUS));
        } while (!flag);
    }
    /* Its communicator is gone when the receive ends: a named source is known, any source is not. */
    OK(MPI_Comm_dup(reversed, &gone));
    OK(MPI_Irecv(in[0], 256, MPI_BYTE, back(left()), 9, gone, &r[0]));
    OK(MPI_Isend(out, 33, MPI_BYTE, back(right()), 9, gone, &r[1]));
    sends(right(), 33), receives(left(), 33), DID(mpi_irecv, 1, 33), DID(mpi_isend, 1, 33);
    OK(MPI_Comm_free(&gone));
    OK(MPI_Waitall(2, r, STATUSES));
    OK(MPI_Irecv(in[0], 256, MPI_BYTE, MPI_PROC_NULL, 9, WORLD, &r[0])), DID(mpi_irecv, 1, 0);
    OK(MPI_Wait(&r[0], STATUS));
    OK(MPI_Irecv(in[0], 256, MPI_BYTE, left(), 99, WORLD, &r[0])), DID(mpi_irecv, 1, 0);
    OK(MPI_Cancel(&r[0]));
    OK(MPI_Wait(&r[0], STATUS));
}

static void persistent(MPI_Comm reversed)
{
    MPI_Request r[3];
    OK(MPI_Recv_init(in[0], 256, MPI_BYTE, back(left()), 3, reversed, &r[0]));
    OK(MPI_Recv_init(in[1], 256, MPI_BYTE, MPI_ANY_SOURCE, 4, reversed, &r[1]));
    OK(MPI_Send_init(out, 21, MPI_BYTE, back(right()), 3, reversed, &r[2]));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Startall(3, r));
        OK(MPI_Send(out, 50 + i, MPI_BYTE, back(right()), 4, reversed));
        OK(MPI_Waitall(3, r, STATUSES));
        sends(right(), 21), sends(right(), 50 + i);
        receives(left(), 21), receives(left(), 50 + i);
        DID(mpi_isend, 1, 21), DID(mpi_send, 1, 50 + i), DID(mpi_irecv, 2, 71 + i);
    }
    for (int i = 0; i < 3; i++) {
        OK(MPI_Request_free(&r[i]));
    }
}

/* In parts that are ready one by one. */
static void partitioned(void)
{
#if MPI_VERSION >= 4
    MPI_Request r[2];
    OK(MPI_Psend_init(out, 4, 25, MPI_BYTE, right(), 6, WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(large, 2, 50, MPI_BYTE, left(), 6, WORLD, MPI_INFO_NULL, &r[1]));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Startall(2, r));
        OK(MPI_Pready_range(0, 3, r[0]));
        OK(MPI_Waitall(2, r, STATUSES));
        sends(right(), 100), receives(left(), 100), DID(mpi_isend, 1, 100), DID(mpi_irecv, 1, 100);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
#endif
}

static void matched(MPI_Comm reversed)
{
    MPI_Message message;
    MPI_Request r[2];
    int flag = 0;
    OK(MPI_Isend(out, 40, MPI_BYTE, back(right()), 5, reversed, &r[0]));
    OK(MPI_Isend(out, 41, MPI_BYTE, back(right()), 6, reversed, &r[1]));
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 5, reversed, &message, STATUS));
    OK(MPI_Mrecv(large, ROOM, MPI_BYTE, &message, STATUS));
    OK(MPI_Wait(&r[0], STATUS));
    while (!flag) {
        OK(MPI_Improbe(back(left()), 6, reversed, &flag, &message, STATUS));
    }
    OK(MPI_Imrecv(large, ROOM, MPI_BYTE, &message, &r[0]));
    OK(MPI_Waitall(2, r, STATUSES));
    sends(right(), 40), sends(right(), 41), receives(left(), 40), receives(left(), 41);
    DID(mpi_isend, 2, 81), DID(mpi_recv, 1, 40), DID(mpi_irecv, 1, 41);
}

/* Between even and odd ranks of the world: 0 with 1, 2 with 3. */
static void between(void)
{
    MPI_Comm half, inter;
    MPI_Request r;
    int other = rank ^ 1;
    OK(MPI_Comm_split(WORLD, rank % 2, rank, &half));
    OK(MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 7, &inter));
    if (other < size) {
        OK(MPI_Irecv(in[0], 256, MPI_BYTE, MPI_ANY_SOURCE, 8, inter, &r));
        OK(MPI_Send(out, 60 + rank, MPI_BYTE, other / 2, 8, inter));
        OK(MPI_Wait(&r, STATUS));
        OK(MPI_Sendrecv(out, 5, MPI_BYTE, other / 2, 9, large, ROOM, MPI_BYTE, MPI_ANY_SOURCE, 9,
                        inter, STATUS));
        sends(other, 60 + rank), sends(other, 5), receives(other, 60 + other), receives(other, 5);
        DID(mpi_irecv, 1, 60 + other), DID(mpi_send, 1, 60 + rank);
        DID(mpi_sendrecv, 1, 5), GOT(5);
    }
    OK(MPI_Barrier(inter));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

/* The target counts nothing. */
static void one_sided(MPI_Comm reversed)
{
    static int cells[64], mine[64], got[64];
    MPI_Win window;
    OK(MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, reversed, &window));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Put(mine, 7, MPI_INT, back(right()), 0, 7, MPI_INT, window)), sends(right(), 28);
    OK(MPI_Win_fence(0, window));
    OK(MPI_Get(got, 5, MPI_INT, back(right()), 0, 5, MPI_INT, window)), receives(right(), 20);
    OK(MPI_Accumulate(mine, 3, MPI_INT, back(left()), 8, 3, MPI_INT, MPI_SUM, window));
    sends(left(), 12);
    OK(MPI_Win_fence(0, window));
    OK(MPI_Get_accumulate(mine, 2, MPI_INT, got, 2, MPI_INT, back(left()), 16, 2, MPI_INT, MPI_SUM,
                          window));
    sends(left(), 8), receives(left(), 8);
    OK(MPI_Win_fence(0, window));
    OK(MPI_Fetch_and_op(mine, got, MPI_INT, back(right()), 20, MPI_SUM, window));
    sends(right(), 4), receives(right(), 4);
    OK(MPI_Put(mine, 7, MPI_INT, MPI_PROC_NULL, 0, 7, MPI_INT, window));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Win_free(&window));
}

static void neighbours(void)
{
    MPI_Comm line, graph;
    MPI_Request r;
    int periods = 0, reorder = 0, one = size, counts[2] = {3, 6}, zero[2] = {0, 128};
    int sources[1] = {left()}, targets[1] = {right()};
    OK(MPI_Cart_create(WORLD, 1, &one, &periods, reorder, &line)); /* nobody beyond its ends */
    OK(MPI_Neighbor_allgather(out, 11, MPI_BYTE, large, 11, MPI_BYTE, line));
    OK(MPI_Ineighbor_alltoall(out, 12, MPI_BYTE, large, 12, MPI_BYTE, line, &r));
    OK(MPI_Wait(&r, STATUS));
    for (int to = rank - 1; to <= rank + 1; to += 2) {
        if (to >= 0 && to < size) {
            sends(to, 11), sends(to, 12), receives(to, 11), receives(to, 12);
        }
    }
    OK(MPI_Dist_graph_create_adjacent(WORLD, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &graph));
    OK(MPI_Neighbor_alltoallv(out, counts, zero, MPI_BYTE, large, counts, zero, MPI_BYTE, graph));
    sends(right(), 3), receives(left(), 3);
#if MPI_VERSION >= 4
    OK(MPI_Neighbor_allgather_init(out, 13, MPI_BYTE, large, 13, MPI_BYTE, line, MPI_INFO_NULL,
                                   &r));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Start(&r));
        OK(MPI_Wait(&r, STATUS));
        for (int to = rank - 1; to <= rank + 1; to += 2) {
            if (to >= 0 && to < size) {
                sends(to, 13), receives(to, 13);
            }
        }
    }
    OK(MPI_Request_free(&r));
#endif
    OK(MPI_Comm_free(&line));
    OK(MPI_Comm_free(&graph));
}

/* On the communicator of all, backwards and of the even ranks. */
static void collectives(MPI_Comm reversed)
{
    MPI_Comm even, twin;
    MPI_Request r;
    OK(MPI_Allreduce(out, in[0], 6, MPI_INT, MPI_SUM, WORLD));
    OK(MPI_Comm_dup(WORLD, &twin));
    OK(MPI_Bcast(out, 100, MPI_BYTE, 1, twin));
    OK(MPI_Ibcast(out, 30, MPI_BYTE, 0, reversed, &r));
    OK(MPI_Wait(&r, STATUS));
    OK(MPI_Comm_split(WORLD, rank % 2 ? MPI_UNDEFINED : 0, rank, &even));
    if (even != MPI_COMM_NULL) {
        OK(MPI_Reduce(out, large, 3, MPI_INT, MPI_SUM, 1, even));
        OK(MPI_Comm_free(&even));
    }
    OK(MPI_Allreduce(out, in[0], 6, MPI_INT, MPI_SUM, MPI_COMM_SELF)); /* with nobody */
    OK(MPI_Comm_free(&twin));
}

static void say(void)
{
    char text[1024];
    int n = 0;
    for (int i = 0; i < size; i++) {
        if (sent[i][0] || received[i][0]) {
            n += snprintf(text + n, sizeof text - (size_t)n, "peer %d %d %lld %lld %lld %lld\n",
                          rank, i, sent[i][0], sent[i][1], received[i][0], received[i][1]);
        }
    }
    syscall(SYS_write, 1, text, (long)n);
}

int main(int argc, char **argv)
{
    MPI_Comm reversed;
    int level;
    account_begin("TRUTH");
    ignoring = strcmp(argv[1], "ignore") == 0;
    if (argc > 2) { /* as a program of many threads */
        OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    } else {
        OK(MPI_Init(&argc, &argv));
    }
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MUST(size <= MOST && size > 3);
    OK(MPI_Comm_split(WORLD, 0, -rank, &reversed));
    sendrecvs();
    blocking(reversed);
    completions(reversed);
    persistent(reversed);
    partitioned();
    matched(reversed);
    between();
    one_sided(reversed);
    neighbours();
    collectives(reversed);
    OK(MPI_Comm_free(&reversed));
    say();
    MPI_Finalize();
    return 0;
}
