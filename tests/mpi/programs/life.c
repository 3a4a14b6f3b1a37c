/*
 * Ranks that end in every way, or do odd things on the way. Arguments: what to do, and a number.
 * Everybody first has some traffic with all the others, so that there is something to lose.
 */
#include "account.h"
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static int rank, size;
static int out[64], in[64];

static void traffic(int rounds)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < rounds; i++) {
        MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        DID(mpi_all_to_all, 1, 8);
        MPI_Sendrecv(out, 10, MPI_INT, right, 1, in, 10, MPI_INT, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        DID(mpi_sendrecv, 1, 40), GOT(40);
    }
}

static void finish(void)
{
    MPI_Finalize();
    DID(mpi_finalize, 1, 0);
}

/* Says that this rank is ready, and where it is. */
static void ready(void)
{
    char line[64];
    snprintf(line, sizeof line, "%d %d", rank, (int)getpid());
    account_note("ready", line);
}

static void asleep(void)
{
    ready();
    account_sleep(60000000000LL);
}

/* Rank 1 dies; the others wait for it until their launcher ends them. */
static void killed(void)
{
    ready();
    if (rank == 1) {
        account_sleep(300000000);
        kill(getpid(), SIGKILL);
    }
    MPI_Recv(in, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void aborted(void)
{
    if (rank == 0) {
        account_sleep(200000000);
        DID(mpi_abort, 1, 0);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    account_sleep(60000000000LL);
}

static jmp_buf back;
static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

__attribute__((noinline)) static void deep(int depth)
{
    volatile char room[4000];
    room[depth] = 1;
    if (depth > 0) {
        deep(depth - 1);
    } else {
        MPI_Send(out, 1, MPI_INT, size + 3, 1, MPI_COMM_WORLD); /* no such rank */
    }
    room[0] = 2;
}

/* An error handler that jumps away: the MPI never returns from that call. */
static void jumping(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int i = 0; i < 5; i++) {
        if (setjmp(back) == 0) {
            deep((int)i); /* the stale frame lies ever deeper */
        }
        traffic(3);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    finish();
}

/* Children that do no MPI: one ends at once, one becomes another program. */
static void forking(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0 && i == 0) {
            _exit(0);
        }
        if (child == 0) {
            execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        traffic(2);
        waitpid(child, NULL, 0);
    }
    MUST(system("exit 0") == 0);
    traffic(2);
    finish();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "end";
    int number = argc > 2 ? atoi(argv[2]) : 20;
    account_begin("TRUTH");
    MPI_Init(&argc, &argv);
    DID(mpi_init, 1, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    traffic(number);
    if (strcmp(what, "end") == 0) {
        finish();
    } else if (strcmp(what, "say") == 0) {
        if (rank == 0) {
            printf("%d ranks, %d rounds\n", size, number);
        }
        finish();
        return argc > 3 ? atoi(argv[3]) : 0;
    } else if (strcmp(what, "sleep") == 0) {
        asleep();
    } else if (strcmp(what, "kill") == 0) {
        killed();
    } else if (strcmp(what, "abort") == 0) {
        aborted();
    } else if (strcmp(what, "jump") == 0) {
        jumping();
    } else if (strcmp(what, "fork") == 0) {
        forking();
    } else if (strcmp(what, "exit") == 0) {
        _exit(0); /* without MPI_Finalize: most launchers mind */
    } else if (strcmp(what, "crash") == 0) {
        raise(SIGSEGV);
    }
    return 0;
}
