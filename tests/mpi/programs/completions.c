/* Prints what a program sees of receives that succeed, fail, are cancelled or never were: error classes and
 * statuses, both where it looks at them and where it ignores them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD

static int rank, other, looks, in[64], out[64];
static MPI_Request r[2];
static MPI_Status s[2];
#define STATUS (looks ? &s[0] : MPI_STATUS_IGNORE)
#define STATUSES (looks ? s : MPI_STATUSES_IGNORE)

static void say(const char *what, int result, int statuses)
{
    char text[1024];
    int n, class = 0, count, cancelled;
    MPI_Error_class(result, &class);
    n = sprintf(text, "rank %d %s: class %d", rank, what, class);
    for (int i = 0; looks && i < statuses; i++) {
        MPI_Get_count(&s[i], MPI_INT, &count);
        MPI_Test_cancelled(&s[i], &cancelled);
        n += sprintf(text + n, "; source %d tag %d error %d count %d cancelled %d", s[i].MPI_SOURCE,
                     s[i].MPI_TAG, s[i].MPI_ERROR, count, cancelled);
    }
    text[n++] = '\n';
    write(1, text, (size_t)n);
    memset(s, 0x22, sizeof s);
}

/* Two messages of five ints into buffers of so many; both have arrived. */
static void two(int first, int second)
{
    MPI_Irecv(in, first, MPI_INT, other, 1, WORLD, &r[0]);
    MPI_Irecv(in + 32, second, MPI_INT, other, 2, WORLD, &r[1]);
    MPI_Barrier(WORLD);
    MPI_Send(out, 5, MPI_INT, other, 1, WORLD);
    MPI_Send(out, 5, MPI_INT, other, 2, WORLD);
    MPI_Barrier(WORLD);
    usleep(3000);
}

static void several(int room)
{
    int done, flag, result, which[2];
    two(room, 8);
    say("waitall", MPI_Waitall(2, r, STATUSES), 2);
    two(room, 8);
    result = MPI_Waitsome(2, r, &done, which, STATUSES);
    say(done == 2 ? "waitsome, both" : "waitsome, one", result, done);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    two(room, 8);
    result = MPI_Waitany(2, r, which, STATUS);
    say(which[0] ? "waitany, second" : "waitany, first", result, 1);
    say("waitany", MPI_Waitany(2, r, which, STATUS), 1);
    two(room, 8);
    do {
        result = MPI_Testall(2, r, &flag, STATUSES);
    } while (result == MPI_SUCCESS && !flag);
    say("testall", result, 2);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    two(room, 8);
    say("wait", MPI_Wait(&r[0], STATUS), 1);
    say("wait", MPI_Wait(&r[1], STATUS), 1);
}

static void odd(void)
{
    MPI_Request send;
    int flag;
    MPI_Isend(out, 5, MPI_INT, other, 1, WORLD, &send);
    say("recv", MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, STATUS), 1);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    say("sendrecv",
        MPI_Sendrecv(out, 5, MPI_INT, other, 1, in, 2, MPI_INT, other, 1, WORLD, STATUS), 1);
    MPI_Irecv(in, 2, MPI_INT, other, 77, WORLD, &r[0]);
    MPI_Cancel(&r[0]);
    say("cancelled", MPI_Wait(&r[0], STATUS), 1);
    say("null", MPI_Wait(&r[0], STATUS), 1);
    say("none of none", MPI_Waitany(2, r, &flag, STATUS), 1);
    MPI_Irecv(in, 2, MPI_INT, MPI_PROC_NULL, 7, WORLD, &r[0]);
    say("irecv of nobody", MPI_Wait(&r[0], STATUS), 1);
    say("recv of nobody", MPI_Recv(in, 2, MPI_INT, MPI_PROC_NULL, 7, WORLD, STATUS), 1);
    MPI_Recv_init(in, 9, MPI_INT, other, 3, WORLD, &r[0]);
    say("inactive", MPI_Wait(&r[0], STATUS), 1);
    MPI_Start(&r[0]);
    MPI_Send(out, 4, MPI_INT, other, 3, WORLD);
    say("persistent", MPI_Wait(&r[0], STATUS), 1);
    say("inactive again", MPI_Test(&r[0], &flag, STATUS), 1);
    MPI_Request_free(&r[0]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    memset(s, 0x22, sizeof s);
    for (looks = 0; looks < 2; looks++) {
        several(8);
        several(2);
        odd();
    }
    MPI_Finalize();
    return 0;
}
