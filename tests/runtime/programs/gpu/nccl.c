/* A rank of a training job with a NCCL of ours (fake_nccl.c). Arguments: what it does, and how many steps.
 *   steps    each step: a broadcast, two collectives in a group, one of all ranks (20 ms, each
 *            eighth time 30), one of two ranks, 60 ms of nothing; prints when each collective of all ranks was over (ns)
 *   capture  all of them into a graph that is never run
 *   fork     as steps, with a child in the middle that ends by exit, and one that makes a step
 *   kinds    one of each kind
 *   again    as steps, but in the middle the communicator of all is destroyed, one of two ranks made that may
 *            have its place, and then one of all again
 *   threads  four threads, each with a communicator of its own, 200 collectives
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long ull;
int fake_comm(void **comm, int rank, int size);
int ncclAllReduce(const void *, void *, size_t, int, int, void *, void *);
int ncclReduceScatter(const void *, void *, size_t, int, int, void *, void *);
int ncclAllGather(const void *, void *, size_t, int, void *, void *);
int ncclAlltoAll(const void *, void *, size_t, int, void *, void *);
int ncclBroadcast(const void *, void *, size_t, int, int, void *, void *);
int ncclReduce(const void *, void *, size_t, int, int, int, void *, void *);
int ncclSend(const void *, size_t, int, int, void *, void *);
int ncclRecv(void *, size_t, int, int, void *, void *);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclCommDestroy(void *);
extern int fake_events, fake_records;

struct stream {
    ull until;
    int capturing;
};

static ull clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (ull)t.tv_sec * 1000000000u + (ull)t.tv_nsec;
}

static void step(void *all, void *two, struct stream *s, int print, int longer)
{
    int failed = ncclBroadcast(0, 0, 100, 7, 0, all, s);
    ncclGroupStart();
    failed |= ncclAllReduce(0, 0, 1000, 7, 0, all, s);
    failed |= ncclAllGather(0, 0, 500, 6, all, s);
    ncclGroupEnd();
    failed |= ncclAllReduce(0, 0, longer ? 30000 : 20000, 7, 0, all, s);
    /* on the clock of the host: the GPU's began an hour before CLOCK_MONOTONIC */
    if (print && !s->capturing)
        printf("over %llu\n",
               s->until - 3600000000000ull - clock_ns(CLOCK_MONOTONIC) + clock_ns(CLOCK_REALTIME));
    failed |= ncclAllReduce(0, 0, 500, 7, 0, two, s);
    if (failed)
        printf("failed\n");
    usleep(60000);
}

static void kinds(void *all, struct stream *s)
{
    ncclAllReduce(0, 0, 1000, 7, 0, all, s);    /* 4000 bytes */
    ncclReduceScatter(0, 0, 100, 8, 0, all, s); /* 4 x 800 */
    ncclAllGather(0, 0, 10, 0, all, s);         /* 10 */
    ncclAlltoAll(0, 0, 7, 9, all, s);           /* 4 x 14 */
    ncclBroadcast(0, 0, 3, 2, 1, all, s);       /* 12 */
    ncclReduce(0, 0, 5, 4, 0, 1, all, s);       /* 40 */
    ncclSend(0, 11, 7, 3, all, s);              /* 44 */
    ncclRecv(0, 13, 7, 2, all, s);              /* 52 */
    usleep(20000);
    ncclBroadcast(0, 0, 0, 2, 1, all, s); /* here it is looked at what is over */
    usleep(2000);
}

static void *thread(void *unused)
{
    struct stream s = {0, 0};
    void *own;
    (void)unused;
    fake_comm(&own, 0, 3);
    for (int i = 0; i < 200; i++)
        ncclAllReduce(0, 0, 10, 7, 0, own, &s);
    usleep(10000);
    ncclCommDestroy(own);
    return NULL;
}

int main(int n, char **v)
{
    struct stream s = {0, 0};
    void *all, *two;
    int steps = n > 2 ? atoi(v[2]) : 1;
    const char *rank = getenv("RANK"), *size = getenv("WORLD_SIZE");
    fake_comm(&all, rank ? atoi(rank) : 0, size ? atoi(size) : 2);
    fake_comm(&two, 0, 2);
    s.capturing = strcmp(v[1], "capture") == 0;
    if (strcmp(v[1], "kinds") == 0)
        kinds(all, &s);
    else if (strcmp(v[1], "threads") == 0) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    } else
        for (int i = 0; i < steps; i++) {
            step(all, two, &s, 1, i % 8 == 7);
            if (strcmp(v[1], "again") == 0 && i == steps / 2) {
                ncclCommDestroy(all);
                fake_comm(&two, 1, 2);
                for (int k = 0; k < 5; k++)
                    ncclAllReduce(0, 0, 700, 7, 0, two, &s);
                usleep(20000);
                fake_comm(&all, rank ? atoi(rank) : 0, size ? atoi(size) : 2);
            }
            if (strcmp(v[1], "fork") == 0 && i == steps / 2)
                for (int child = 0; child < 2; child++) {
                    fflush(stdout);
                    if (fork() == 0) {
                        if (child)
                            step(all, two, &s, 0, 0);
                        exit(0);
                    }
                    wait(NULL);
                }
        }
    if (n > 3) /* the program ends without this */
        ncclCommDestroy(all);
    printf("events %d records %d\n", fake_events, fake_records);
    return 0;
}
