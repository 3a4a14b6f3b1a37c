/*
 * nccl_calls: the time of one all-reduce as the calling program sees it, with the substitutes in
 * tests/runtime/programs/gpu (fake_nccl.c, fake_cuda.c): an operation of no elements takes the GPU no time.
 *
 *   nccl_calls call CPU     prints the median ns of a call
 *   nccl_calls events CPU   the same of jostle's calls of the driver for one: two events recorded,
 *                           one queried, two times between events, and whether the stream is
 *                           captured
 *
 * Time is taken over chunks of calls, and the first 150 ms are not measured, as in micro.c.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CHUNKS = 8192, CALLS = 100, WARM_NS = 150000000, MEASURE_NS = 120000000 };

int fake_comm(void **comm, int rank, int size);
int ncclAllReduce(const void *, void *, size_t, int, int, void *, void *);
int cuEventCreate(void **event, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuStreamIsCapturing(void *stream, int *status);

static struct {
    uint64_t until;
    int capturing;
} stream;
static void *communicator, *events[2];

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int call(void)
{
    return ncclAllReduce(NULL, NULL, 0, 7, 0, communicator, &stream);
}

static int ask_driver(void)
{
    float ms;
    int capturing;
    return cuStreamIsCapturing(&stream, &capturing) | cuEventRecord(events[0], &stream) |
           cuEventRecord(events[1], &stream) | cuEventQuery(events[1]) |
           cuEventElapsedTime(&ms, events[0], events[1]) |
           cuEventElapsedTime(&ms, events[0], events[1]);
}

static double chunk(int (*what)(void))
{
    int64_t before = now_ns();
    for (int i = 0; i < CALLS; i++)
        if (what() != 0)
            exit(2);
    return (double)(now_ns() - before) / CALLS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    static double chunks[MAX_CHUNKS];
    cpu_set_t cpu;
    int n = 0;
    if (count < 3)
        return 2;
    CPU_ZERO(&cpu);
    CPU_SET(atoi(words[2]), &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    fake_comm(&communicator, 0, 2);
    cuEventCreate(&events[0], 0);
    cuEventCreate(&events[1], 0);
    int (*what)(void) = strcmp(words[1], "events") == 0 ? ask_driver : call;
    int64_t start = now_ns();
    while (now_ns() - start < WARM_NS)
        chunk(what);
    start = now_ns();
    while (n < MAX_CHUNKS && now_ns() - start < MEASURE_NS)
        chunks[n++] = chunk(what);
    qsort(chunks, (size_t)n, sizeof *chunks, ascending);
    printf("%.2f\n", chunks[n / 2]);
    return 0;
}
