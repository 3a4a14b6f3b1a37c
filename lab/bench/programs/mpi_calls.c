/*
 * mpi_calls: the time of MPI calls, for any language binding.
 *
 *   mpi_calls MILLISECONDS OPERATION...
 *
 * This file times, pins and prints; the calls themselves are in mpi_calls_c.c or mpi_calls_f.F90,
 * whose functions are below. Each operation is repeated in batches of about half a millisecond for
 * so many milliseconds. Rank 0 prints a line per operation: name, calls that follow one another in
 * one repetition, median and lower quartile of the batches (ns per repetition). The operation
 * `clock` is two reads of the time stamp, the least that a timer of calls can cost.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The binding's part. Operations are numbered as in the list below. */
void bench_start(int *rank, int *size);
void bench_agree(int *count); /* rank 0's number, on all ranks */
void bench_repeat(int operation, int count);
void bench_stop(void);

enum { CLOCK = 9, MAX_BATCHES = 100000 };
static const double BATCH_NS = 5e5;

static const struct {
    const char *name;
    int index, calls, ranks; /* ranks: how many it needs */
} OPERATIONS[] = {
    {"sendrecv", 0, 4, 2},  /* there and back: Send and Recv on either side, one after the other */
    {"isend", 1, 4, 2},     /* Irecv, Isend, Wait, Wait, on both sides at once */
    {"allreduce", 2, 1, 1}, /* 8 bytes, MPI_COMM_WORLD */
    {"barrier", 3, 1, 1},   {"selfreduce", 4, 1, 1}, /* 8 bytes, MPI_COMM_SELF */
    {"iprobe", 5, 1, 1},    {"selfsend", 6, 4, 1},   /* Irecv, Isend, Wait, Wait, to oneself */
    {"test", 7, 1, 1},                               /* of a message that does not come */
    {"worldsend", 8, 4, 1},                          /* as selfsend, in MPI_COMM_WORLD */
    {"clock", CLOCK, 1, 1},
};
enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static double batches[MAX_BATCHES];

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline uint64_t stamp(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec;
#endif
}

static void repeat(int operation, int count)
{
    if (operation != CLOCK) {
        bench_repeat(operation, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        uint64_t before = stamp();
        __asm__ volatile("" ::"r"(before) : "memory");
        uint64_t after = stamp();
        __asm__ volatile("" ::"r"(after) : "memory");
    }
}

static double batch(int operation, int count)
{
    double before = now_ns();
    repeat(operation, count);
    return now_ns() - before;
}

/* How many repetitions take about BATCH_NS; the warm-up as well. The fastest batch counts: others
 * may have been interrupted, and the very first one makes connections. */
static int calibrate(int operation)
{
    int count = 16, go_on = 1;
    double each = BATCH_NS;
    while (go_on) { /* all ranks use rank 0's clock */
        count *= 2;
        double took = batch(operation, count);
        if (took / count < each)
            each = took / count;
        go_on = count < 256 || (took < 20 * BATCH_NS && count < 1 << 22);
        bench_agree(&go_on);
    }
    count = (int)(BATCH_NS / each) + 1;
    bench_agree(&count);
    return count;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int number, double milliseconds, int rank)
{
    int operation = OPERATIONS[number].index;
    int count = calibrate(operation);
    int rounds = (int)(milliseconds * 1e6 / BATCH_NS) + 4;
    if (rounds > MAX_BATCHES)
        rounds = MAX_BATCHES;
    for (int i = 0; i < rounds; i++)
        batches[i] = batch(operation, count) / count;
    qsort(batches, (size_t)rounds, sizeof *batches, ascending);
    if (rank == 0)
        printf("%s %d %.2f %.2f\n", OPERATIONS[number].name, OPERATIONS[number].calls,
               batches[rounds / 2], batches[rounds / 4]);
}

static void pin(int rank)
{
    cpu_set_t allowed, own;
    int wanted = rank, cpu = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0)
        return;
    wanted = CPU_COUNT(&allowed) - 1 - rank % CPU_COUNT(&allowed); /* CPU 0 has most interrupts */
    while (wanted >= 0)
        wanted -= CPU_ISSET((unsigned)++cpu, &allowed) ? 1 : 0;
    CPU_ZERO(&own);
    CPU_SET((unsigned)cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
}

int main(int argc, char **argv)
{
    int rank, size;
    if (argc < 3) {
        fputs("usage: mpi_calls MILLISECONDS OPERATION...\n", stderr);
        return 2;
    }
    bench_start(&rank, &size);
    pin(rank);
    for (int i = 2; i < argc; i++)
        for (int k = 0; k < OPERATION_COUNT; k++)
            if (!strcmp(argv[i], OPERATIONS[k].name) && size >= OPERATIONS[k].ranks)
                measure(k, atof(argv[1]), rank);
    bench_stop();
    return 0;
}
