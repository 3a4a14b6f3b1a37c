/* A parallel program in steps: each rank computes, may sleep (as one that waits for a device), may
 * write to a file, exchanges messages with both neighbours in a ring, and takes part in a sum.
 *
 *   steps SECONDS WORK_US SLEEP_US MESSAGE_BYTES FILE FILE_BYTES LATE_RANK FACTOR TURN_S BEGUN
 *         [MEMORY_BYTES LOG]
 *
 * FILE: "" for none. LATE_RANK computes FACTOR times as long in each step; with TURN_S above 0 the
 * ranks take turns. Rank 0 makes the file BEGUN when the steps begin. With MEMORY_BYTES above 0,
 * computing walks through so much memory. Rank 0 writes into LOG when each step ended: one line per
 * step, nanoseconds of Unix time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static double *table;
static size_t table_size, table_at;

/* Sums lines of a table, behind those that it summed last. */
static void walk(long rounds)
{
    double x = 0.0;
    for (long i = 0; i < rounds; i++) {
        x += table[table_at];
        table_at += 8;
        if (table_at >= table_size)
            table_at = 0;
    }
    sink = x;
}

static void spin(long rounds)
{
    if (table) {
        walk(rounds);
        return;
    }
    double x = 1.0;
    for (long i = 0; i < rounds; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rounds per microsecond on an undisturbed core: the best of several tries. */
static double speed(void)
{
    double best = 0;
    for (int i = 0; i < 20; i++) {
        double begin = cpu_s();
        spin(1000000);
        double took = (cpu_s() - begin) * 1e6;
        if (took > 0 && 1e6 / took > best)
            best = 1e6 / took;
    }
    return best;
}

static void sleep_us(double us)
{
    struct timespec t = {(time_t)(us / 1e6), (long)(us * 1e3) % 1000000000L};
    nanosleep(&t, NULL);
}

static void make_table(size_t bytes)
{
    table_size = bytes / sizeof *table;
    if (bytes == 0 || !(table = malloc(bytes)))
        return;
    for (size_t i = 0; i < table_size; i++)
        table[i] = (double)i;
}

/* Writes the time into a log, which keeps at most half a second of it in memory. */
static void note(FILE *log)
{
    static long long written;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    long long now = t.tv_sec * 1000000000LL + t.tv_nsec;
    fprintf(log, "%lld\n", now);
    if (now - written > 500000000LL) {
        fflush(log);
        written = now;
    }
}

/* The size that the file system requires of direct writes. */
static int opened(const char *path, size_t bytes, char **buffer)
{
    if (!*path)
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_DIRECT, 0600);
    if (fd < 0 || posix_memalign((void **)buffer, 4096, bytes))
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(*buffer, 1, bytes);
    return fd;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    if (argc != 11 && argc != 13)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double seconds = atof(argv[1]), work = atof(argv[2]), pause = atof(argv[3]);
    int bytes = atoi(argv[4]), late = atoi(argv[7]);
    size_t file_bytes = (size_t)atol(argv[6]);
    double factor = atof(argv[8]), turn = atof(argv[9]), own, best;
    FILE *log = argc == 13 && rank == 0 ? fopen(argv[12], "w") : NULL;
    if (argc == 13)
        make_table((size_t)atol(argv[11]));
    own = speed();
    MPI_Allreduce(&own, &best, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    char *room = NULL, *in = calloc(2, (size_t)bytes + 1), *out = calloc(2, (size_t)bytes + 1);
    int fd = opened(argv[5], file_bytes, &room);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    if (rank == 0)
        close(open(argv[10], O_CREAT | O_WRONLY, 0600));
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), elapsed = 0;
    for (long step = 0; elapsed < seconds; step++) {
        int slow = turn > 0 ? (int)(elapsed / turn) % ranks : late;
        double times = rank == slow ? factor : 1;
        spin((long)(work * times * best));
        if (pause > 0)
            sleep_us(pause * times);
        if (fd >= 0 && pwrite(fd, room, file_bytes, (off_t)(step % 64) * (off_t)file_bytes) < 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Request all[4];
        MPI_Irecv(in, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &all[0]);
        MPI_Irecv(in + bytes, bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(out, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &all[2]);
        MPI_Isend(out + bytes, bytes, MPI_CHAR, left, 2, MPI_COMM_WORLD, &all[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        double now = MPI_Wtime() - begin;
        MPI_Allreduce(&now, &elapsed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (log)
            note(log);
    }
    if (log)
        fclose(log);
    MPI_Finalize();
    return 0;
}
