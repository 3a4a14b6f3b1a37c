/* Sends known messages over communicators of several shapes, and writes down who got how much: a line per
 * partner, communicator and collective into $ACCOUNT.RANK. Then each rank kills itself (argument `kill`) or
 * ends. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 16
#define COMMS 4
#define ROOM 4096

static long sent[MOST][2], received[MOST][2], reduced[COMMS], cast[COMMS];
static MPI_Comm comms[COMMS];
static int ways = 3; /* of sending */
static int world_of[COMMS][MOST], sizes[COMMS], ranks[COMMS], roots[COMMS];

static void book(long table[MOST][2], int c, int rank, long bytes)
{
    table[world_of[c][rank]][0]++;
    table[world_of[c][rank]][1] += bytes;
}

/* How much who sends in a round: different for each. */
static int length(int c, int rank, int round)
{
    return 1 + (c * 31 + rank * 17 + round * 7) % 1009;
}

static void exchange(int c, int round)
{
    static char out[ROOM], in[ROOM];
    int n = sizes[c], me = ranks[c], next = (me + 1) % n, before = (me + n - 1) % n;
    int mine = length(c, me, round), theirs = length(c, before, round);
    MPI_Request r[2];
    MPI_Status status;
    switch (round % ways) {
    case 0:
        MPI_Sendrecv(out, mine, MPI_CHAR, next, 1, in, ROOM, MPI_CHAR, before, 1, comms[c],
                     MPI_STATUS_IGNORE);
        break;
    case 1: /* it does not know from whom */
        MPI_Irecv(in, ROOM, MPI_CHAR, MPI_ANY_SOURCE, 2, comms[c], &r[0]);
        MPI_Isend(out, mine, MPI_CHAR, next, 2, comms[c], &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        break;
    default: /* persistent */
        MPI_Send_init(out, mine, MPI_CHAR, next, 3, comms[c], &r[0]);
        MPI_Start(&r[0]);
        MPI_Recv(in, ROOM, MPI_CHAR, before, 3, comms[c], &status);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Request_free(&r[0]);
    }
    book(sent, c, next, mine);
    book(received, c, before, theirs);
}

static void shape(int c, MPI_Comm comm)
{
    int world;
    comms[c] = comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(comm, &ranks[c]);
    MPI_Comm_size(comm, &sizes[c]);
    MPI_Allgather(&world, 1, MPI_INT, world_of[c], 1, MPI_INT, comm);
}

static void write_account(int rank, int size)
{
    char path[512], text[8192];
    int at = 0;
    snprintf(path, sizeof path, "%s.%d", getenv("ACCOUNT"), rank);
    for (int i = 0; i < size; i++)
        at += snprintf(text + at, sizeof text - at, "peer %d %ld %ld %ld %ld\n", i, sent[i][0],
                       sent[i][1], received[i][0], received[i][1]);
    for (int c = 0; c < COMMS; c++) {
        at +=
            snprintf(text + at, sizeof text - at, "comm %ld %ld %d", reduced[c], cast[c], roots[c]);
        for (int i = 0; i < sizes[c]; i++)
            at += snprintf(text + at, sizeof text - at, " %d", world_of[c][i]);
        at += snprintf(text + at, sizeof text - at, "\n");
    }
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, at) != at)
        abort();
    close(fd);
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 30, pause_us = argc > 3 ? atoi(argv[3]) : 0;
    MPI_Comm comm;
    if (getenv("WAYS"))
        ways = atoi(getenv("WAYS"));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shape(0, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    shape(1, comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    shape(2, comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    shape(3, comm);
    for (int c = 0; c < COMMS; c++)
        roots[c] = world_of[c][sizes[c] - 1];
    for (int round = 0; round < rounds; round++) {
        for (int c = 0; c < COMMS; c++) {
            double a = 1, b[2];
            exchange(c, round);
            MPI_Allreduce(&a, b, 1, MPI_DOUBLE, MPI_SUM, comms[c]);
            reduced[c]++;
            if (round % 2) {
                MPI_Bcast(b, 2, MPI_DOUBLE, sizes[c] - 1, comms[c]);
                cast[c]++;
            }
        }
        if (pause_us)
            usleep(pause_us);
    }
    write_account(rank, size);
    if (argc > 2 && strcmp(argv[2], "kill") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        kill(getpid(), SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
