/* Point-to-point: every mode, non-blocking, persistent, completion families, derived types. */
#include "parts.h"

#define N 25 /* ints in a message */

static int out[64], in[64];

static int right(void)
{
    return (rank + 1) % size;
}
static int left(void)
{
    return (rank + size - 1) % size;
}

/* Even ranks send first. A ring of one, or of an odd number, needs a send that does not block: the
 * receiver is there already. */
static void ring(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    MPI_Request request;
    OK(MPI_Irecv(in, N, MPI_INT, left(), 7, WORLD, &request)), DID(mpi_irecv, 1, INTS(N));
    OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0); /* for Rsend */
    OK(send(out, N, MPI_INT, right(), 7, WORLD)), DID(mpi_send, 1, INTS(N));
    OK(MPI_Wait(&request, IGNORE)), DID(mpi_wait, 1, 0);
}

static void probes(void)
{
    MPI_Request request[2];
    MPI_Message message;
    int flag;
    OK(MPI_Isend(out, N, MPI_INT, right(), 1, WORLD, &request[0])), DID(mpi_isend, 1, INTS(N));
    OK(MPI_Probe(left(), 1, WORLD, IGNORE)), DID(mpi_probe, 1, 0);
    do {
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, WORLD, &flag, IGNORE)), DID(mpi_probe, 1, 0);
    } while (!flag);
    OK(MPI_Recv(in, 64, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, IGNORE)), DID(mpi_recv, 1, INTS(N));
    OK(MPI_Wait(&request[0], IGNORE)), DID(mpi_wait, 1, 0);
    for (int matched = 0; matched < 2; matched++) {
        OK(MPI_Isend(out, N, MPI_INT, right(), 2, WORLD, &request[0])), DID(mpi_isend, 1, INTS(N));
        if (matched == 0) {
            OK(MPI_Mprobe(left(), 2, WORLD, &message, IGNORE)), DID(mpi_probe, 1, 0);
            OK(MPI_Mrecv(in, 50, MPI_INT, &message, IGNORE)), DID(mpi_recv, 1, INTS(N));
            OK(MPI_Wait(&request[0], IGNORE)), DID(mpi_wait, 1, 0);
            continue;
        }
        do {
            OK(MPI_Improbe(left(), 2, WORLD, &flag, &message, IGNORE)), DID(mpi_probe, 1, 0);
        } while (!flag);
        OK(MPI_Imrecv(in, 40, MPI_INT, &message, &request[1])), DID(mpi_irecv, 1, INTS(N));
        OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    }
}

void part_p2p(void)
{
    void *buffer = malloc(65536);
    int bytes;
    ring(MPI_Send);
    ring(MPI_Rsend);
    ring(MPI_Ssend);
    MPI_Buffer_attach(buffer, 65536);
    ring(MPI_Bsend);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    OK(MPI_Sendrecv(out, 10, MPI_INT, right(), 3, in, 20, MPI_INT, left(), 3, WORLD, IGNORE));
    DID(mpi_sendrecv, 1, INTS(10)), GOT(INTS(10));
    OK(MPI_Sendrecv_replace(in, 12, MPI_INT, right(), 4, left(), 4, WORLD, IGNORE));
    DID(mpi_sendrecv, 1, INTS(12)), GOT(INTS(12));
    probes();
    /* Nobody at the other end: the arguments say how much is sent, all the same. */
    OK(MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 1, WORLD)), DID(mpi_send, 1, INTS(5));
    OK(MPI_Recv(in, 6, MPI_INT, MPI_PROC_NULL, 1, WORLD, IGNORE)), DID(mpi_recv, 1, 0);
    OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, WORLD)), DID(mpi_send, 1, 0);
}

void part_nonblocking(void)
{
    MPI_Request r[5];
    void *buffer = malloc(65536);
    int bytes;
    MPI_Buffer_attach(buffer, 65536);
    for (int i = 0; i < 4; i++) {
        OK(MPI_Irecv(in + 8 * i, 8, MPI_INT, left(), 10 + i, WORLD, &r[i]));
        DID(mpi_irecv, 1, INTS(8 - i));
    }
    OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
    OK(MPI_Isend(out, 8, MPI_INT, right(), 10, WORLD, &r[4])), DID(mpi_isend, 1, INTS(8));
    OK(MPI_Wait(&r[4], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Issend(out, 7, MPI_INT, right(), 11, WORLD, &r[4])), DID(mpi_isend, 1, INTS(7));
    OK(MPI_Wait(&r[4], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Irsend(out, 6, MPI_INT, right(), 12, WORLD, &r[4])), DID(mpi_isend, 1, INTS(6));
    OK(MPI_Wait(&r[4], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Ibsend(out, 5, MPI_INT, right(), 13, WORLD, &r[4])), DID(mpi_isend, 1, INTS(5));
    OK(MPI_Waitall(5, r, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
#if MPI_VERSION >= 4
    OK(MPI_Isendrecv(out, 9, MPI_INT, right(), 5, in, 11, MPI_INT, left(), 5, WORLD, r));
    DID(mpi_isend, 1, INTS(9)), DID(mpi_irecv, 1, 0), DID(mpi_irecv_room, 0, INTS(11));
    OK(MPI_Wait(r, IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Isendrecv_replace(in, 13, MPI_INT, right(), 6, left(), 6, WORLD, r));
    DID(mpi_isend, 1, INTS(13)), DID(mpi_irecv, 1, 0), DID(mpi_irecv_room, 0, INTS(13));
    OK(MPI_Wait(r, IGNORE)), DID(mpi_wait, 1, 0);
#endif
}

void part_persistent(void)
{
    MPI_Request r[5];
    void *buffer = malloc(65536);
    int bytes;
    MPI_Buffer_attach(buffer, 65536);
    OK(MPI_Recv_init(in, 16, MPI_INT, left(), MPI_ANY_TAG, WORLD, &r[0]));
    OK(MPI_Send_init(out, 16, MPI_INT, right(), 1, WORLD, &r[1]));
    OK(MPI_Ssend_init(out, 15, MPI_INT, right(), 1, WORLD, &r[2]));
    OK(MPI_Rsend_init(out, 14, MPI_INT, right(), 1, WORLD, &r[3]));
    OK(MPI_Bsend_init(out, 13, MPI_INT, right(), 1, WORLD, &r[4]));
    DID(mpi_request, 5, 0);
    for (int i = 0; i < 12; i++) {
        int which = 1 + i % 4;
        MPI_Request both[2] = {r[0], r[which]};
        OK(MPI_Start(&r[0])), DID(mpi_request, 1, 0), DID(mpi_irecv, 1, INTS(17 - which));
        OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
        OK(MPI_Start(&r[which])), DID(mpi_request, 1, 0);
        DID(mpi_isend, 1, INTS(17 - which));
        OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    }
    for (int i = 0; i < 3; i++) {
        OK(MPI_Startall(2, r)), DID(mpi_request, 1, 0);
        DID(mpi_irecv, 1, INTS(16)), DID(mpi_isend, 1, INTS(16));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
    }
    for (int i = 0; i < 5; i++) {
        OK(MPI_Request_free(&r[i])), DID(mpi_request, 1, 0);
    }
    /* Started, cancelled: the start counts, and nothing arrives. */
    OK(MPI_Recv_init(in, 3, MPI_INT, left(), 99, WORLD, &r[0])), DID(mpi_request, 1, 0);
    OK(MPI_Start(&r[0])), DID(mpi_request, 1, 0), DID(mpi_irecv, 1, 0);
    OK(MPI_Cancel(&r[0])), DID(mpi_request, 1, 0);
    OK(MPI_Wait(&r[0], IGNORE)), DID(mpi_wait, 1, 0);
    OK(MPI_Request_free(&r[0])), DID(mpi_request, 1, 0);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

/* So many receives and their sends, all small. */
static void volley(MPI_Request *r, int n)
{
    for (int i = 0; i < n; i++) {
        OK(MPI_Irecv(in + i, 1, MPI_INT, left(), 20 + i, WORLD, &r[i])), DID(mpi_irecv, 1, INTS(1));
        OK(MPI_Isend(out + i, 1, MPI_INT, right(), 20 + i, WORLD, &r[n + i]));
        DID(mpi_isend, 1, INTS(1));
    }
}

void part_completion(void)
{
    MPI_Request r[8];
    MPI_Status s[8];
    int flag = 0, index, done, which[8];
    volley(r, 4);
    for (int i = 0; i < 8; i++) {
        OK(MPI_Waitany(8, r, &index, IGNORE)), DID(mpi_wait, 1, 0);
    }
    volley(r, 4);
    for (int left_over = 8; left_over > 0; left_over -= done) {
        OK(MPI_Waitsome(8, r, &done, which, s)), DID(mpi_wait, 1, 0);
    }
    volley(r, 4);
    for (int i = 0; i < 8; i++) {
        do {
            OK(MPI_Request_get_status(r[i], &flag, IGNORE)), DID(mpi_test, 1, 0);
        } while (!flag);
        do {
            OK(MPI_Test(&r[i], &flag, IGNORE)), DID(mpi_test, 1, 0);
        } while (!flag);
    }
    volley(r, 4);
    do {
        OK(MPI_Testall(8, r, &flag, s)), DID(mpi_test, 1, 0);
    } while (!flag);
    volley(r, 4);
    for (int i = 0; i < 8; i += flag != 0) {
        OK(MPI_Testany(8, r, &index, &flag, IGNORE)), DID(mpi_test, 1, 0);
    }
    volley(r, 4);
    for (int left_over = 8; left_over > 0; left_over -= done) {
        OK(MPI_Testsome(8, r, &done, which, s)), DID(mpi_test, 1, 0);
    }
    OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE)), DID(mpi_wait, 1, 0);
}

void part_failures(void)
{
    int to = size + 5;
    MPI_Request r;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    MUST(MPI_Send(out, 5, MPI_INT, to, 1, WORLD) != MPI_SUCCESS), DID(mpi_send, 1, 0);
    MUST(MPI_Recv(in, 5, MPI_INT, to, 1, WORLD, IGNORE) != MPI_SUCCESS), DID(mpi_recv, 1, 0);
    MUST(MPI_Isend(out, 5, MPI_INT, to, 1, WORLD, &r) != MPI_SUCCESS), DID(mpi_isend, 1, 0);
    MUST(MPI_Bcast(in, 5, MPI_INT, to, WORLD) != MPI_SUCCESS), DID(mpi_one_to_all, 1, 0);
    MUST(MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, to, WORLD) != MPI_SUCCESS);
    DID(mpi_all_to_one, 1, 0);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

void part_types(void)
{
    MPI_Datatype vector, structure, resized;
    MPI_Aint displacements[2] = {0, 16};
    MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE};
    int lengths[2] = {2, 3};
    static double room[200];
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
    MPI_Type_create_struct(2, lengths, displacements, kinds, &structure);
    MPI_Type_create_resized(structure, 0, 64, &resized);
    MPI_Type_commit(&vector);
    MPI_Type_commit(&resized);
    for (int i = 0; i < 3; i++) { /* a type's size is asked for once at most */
        OK(MPI_Sendrecv(room, 2, vector, right(), 1, room + 100, 12, MPI_DOUBLE, left(), 1, WORLD,
                        IGNORE));
        DID(mpi_sendrecv, 1, DOUBLES(12)), GOT(DOUBLES(12));
        OK(MPI_Bcast(room, 2, resized, 0, WORLD));
        DID(mpi_one_to_all, 1, 2 * (INTS(2) + DOUBLES(3)));
    }
    MPI_Type_free(&vector);
    MPI_Type_free(&resized);
    /* The freed handles come back with other sizes. */
    for (int i = 1; i < 6; i++) {
        MPI_Type_contiguous(i, MPI_INT, &vector);
        MPI_Type_commit(&vector);
        OK(MPI_Bcast(room, 1, vector, 0, WORLD)), DID(mpi_one_to_all, 1, INTS(i));
        MPI_Type_free(&vector);
    }
    MPI_Type_free(&structure);
    OK(MPI_Bcast(room, 2, MPI_DOUBLE_INT, 0, WORLD)), DID(mpi_one_to_all, 1, 2 * 12);
    OK(MPI_Bcast(room, 3, MPI_LONG_DOUBLE, 0, WORLD));
    DID(mpi_one_to_all, 1, 3 * sizeof(long double));
    OK(MPI_Bcast(room, 3, MPI_C_BOOL, 0, WORLD)), DID(mpi_one_to_all, 1, 3);
    OK(MPI_Bcast(room, 3, MPI_PACKED, 0, WORLD)), DID(mpi_one_to_all, 1, 3);
}
