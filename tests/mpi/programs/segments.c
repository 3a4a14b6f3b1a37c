/*
 * Programs whose execution segments are known beforehand. Arguments: what to do, how often, and how
 * many ms (dense: us) to compute each time. $TRUTH/note.times.<rank> says when delimiters ended (late:
 * how long each call took).
 */
#include "account.h"
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>

#define WORLD MPI_COMM_WORLD

static int rank, size, times, ms;
static int out[64], in[64];

static void note(long long ns)
{
    char key[32], line[32];
    snprintf(key, sizeof key, "times.%d", rank);
    snprintf(line, sizeof line, "%lld", ns);
    account_note(key, line);
}

static void stamp(void)
{
    note(account_now());
}

static void compute(int n)
{
    account_compute(n * 1000000LL);
}

static void reduce(int n, MPI_Comm comm)
{
    MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, comm), DID(mpi_all_to_all, 1, 4 * n);
}

static void ring(void)
{
    MPI_Sendrecv(out, 8, MPI_INT, (rank + 1) % size, 1, in, 8, MPI_INT, (rank + size - 1) % size, 1,
                 WORLD, MPI_STATUS_IGNORE);
    DID(mpi_sendrecv, 1, 32), GOT(32);
}

static void phases(void)
{
    for (int i = 0; i < times; i++) {
        compute(ms);
        ring();
        reduce(4, WORLD);
        stamp();
    }
    compute(ms);
}

/* Where others keep the cores busy a call takes milliseconds: then all ranks end sooner, together. */
static void dense(void)
{
    const long long enough = account_now() + 15000000000;
    for (int i = 0; i < times && in[0] == 0; i++) {
        account_compute(ms * 1000LL);
        ring();
        out[0] = account_now() > enough;
        reduce(4, WORLD);
    }
}

/* The collective ends where its wait does, not where it is begun. */
static void later(int polled)
{
    for (int i = 0; i < times; i++) {
        MPI_Request r;
        int flag = 0;
        MPI_Iallreduce(out, in, 4, MPI_INT, MPI_SUM, WORLD, &r), DID(mpi_iall_to_all, 1, 16);
        compute(ms);
        if (!polled) {
            MPI_Wait(&r, MPI_STATUS_IGNORE), DID(mpi_wait, 1, 0);
        }
        while (polled && !flag) {
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE), DID(mpi_test, 1, 0);
        }
        stamp();
        compute(ms / 4);
    }
}

static void epochs(void)
{
    for (int i = 0; i < times; i++) {
        ring();
        compute(ms);
    }
}

/* Half of the ranks, or a copy of the world, meet. */
static void meeting(int all)
{
    MPI_Comm comm;
    if (all) {
        MPI_Comm_dup(WORLD, &comm);
    } else {
        MPI_Comm_split(WORLD, rank % 2, rank, &comm);
    }
    DID(mpi_comm, 1, 0);
    for (int i = 0; i < times; i++) {
        compute(ms);
        MPI_Barrier(comm), DID(mpi_barrier, 1, 0);
        stamp();
    }
    MPI_Comm_free(&comm), DID(mpi_comm, 1, 0);
}

/* Rank 1 sends late, once; rank 0 waits for it in a receive. */
static void sleepy(void)
{
    stamp();
    if (rank == 1) {
        account_sleep(ms * 1000000LL);
        MPI_Send(out, 1, MPI_INT, 0, 1, WORLD);
    } else if (rank == 0) {
        MPI_Recv(in, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
    }
    stamp();
}

/* Many quick calls; in the middle rank 1 comes late. */
static void late(void)
{
    static long long took[1000];
    MUST(times <= 1000);
    for (int i = 0; i < times; i++) {
        if (i == times / 2 && rank == 1) {
            account_sleep(ms * 1000000LL);
        }
        took[i] = account_now();
        reduce(4, WORLD);
        took[i] = account_now() - took[i];
    }
    for (int i = 0; i < times; i++) {
        note(took[i]);
    }
}

/* Ready to run and not running: the kernel's own figure, in ns. */
static long long queued(void)
{
    long long on = 0, waiting = 0;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (f != NULL) {
        MUST(fscanf(f, "%lld %lld", &on, &waiting) == 2);
        fclose(f);
    }
    return waiting;
}

static void pressed(void)
{
    long long before = queued();
    char line[32];
    for (int i = 0; i < times; i++) {
        compute(ms);
        ring();
    }
    snprintf(line, sizeof line, "%lld", queued() - before);
    account_note("queued", line);
}

static long long slept;
static int naps; /* of the next operation */

static void sum_and_sleep(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    if (naps != 0 && rank == 0) {
        long long before = account_now();
        naps = 0;
        account_sleep(ms * 1000000LL);
        slept += account_now() - before;
    }
    for (int i = 0; i < *n; i++) {
        ((int *)to)[i] += ((int *)from)[i];
    }
}

/* Now and then all ranks are in MPI, where one sleeps; and as often all but one, which computes. */
static void stalled(void)
{
    MPI_Op op;
    char line[32];
    MPI_Op_create(sum_and_sleep, 1, &op);
    for (int i = 0; i < times; i++) {
        bool begun = i >= times / 3;
        compute(2);
        if (begun && i % 8 == 3 && rank == 0) {
            compute(ms);
        }
        naps = begun && i % 8 == 7;
        MPI_Allreduce(out, in, 4, MPI_INT, op, WORLD), DID(mpi_all_to_all, 1, 16);
    }
    MPI_Op_free(&op);
    snprintf(line, sizeof line, "%lld", slept);
    if (rank == 0) {
        account_note("slept", line);
    }
}

static void choose(const char *what)
{
    if (strcmp(what, "phases") == 0) {
        phases();
    } else if (strcmp(what, "killed") == 0) {
        phases();
        account_sleep(500000000); /* who dies first dies for all: theirs end before */
        kill(getpid(), SIGKILL);
    } else if (strcmp(what, "dense") == 0) {
        dense();
    } else if (strcmp(what, "wait") == 0) {
        later(0);
    } else if (strcmp(what, "test") == 0) {
        later(1);
    } else if (strcmp(what, "epochs") == 0) {
        epochs();
    } else if (strcmp(what, "half") == 0) {
        meeting(0);
    } else if (strcmp(what, "dup") == 0) {
        meeting(1);
    } else if (strcmp(what, "sleepy") == 0) {
        sleepy();
    } else if (strcmp(what, "late") == 0) {
        late();
    } else if (strcmp(what, "pressed") == 0) {
        pressed();
    } else if (strcmp(what, "stalled") == 0) {
        stalled();
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "phases";
    times = argc > 2 ? atoi(argv[2]) : 10;
    ms = argc > 3 ? atoi(argv[3]) : 100;
    account_begin("TRUTH");
    MPI_Init(&argc, &argv), DID(mpi_init, 1, 0);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    choose(what);
    MPI_Finalize(), DID(mpi_finalize, 1, 0);
    return 0;
}
