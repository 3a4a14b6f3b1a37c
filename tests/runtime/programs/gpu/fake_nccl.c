/* A libnccl.so.2 of ours: each operation occupies its stream on a GPU of fake_cuda.c for as many microseconds
 * as it has elements, from when its group of calls ends. FAKE_NCCL_FAILS: the operation returns an error. */
#include <stddef.h>
#include <stdlib.h>

void fake_occupy(void *stream, unsigned long long ns);

#define GROUP 64
static __thread struct {
    void *stream;
    unsigned long long ns;
} waiting[GROUP];
static __thread unsigned waiters, depth;

struct comm {
    int rank, size;
};

static int enqueue(size_t count, void *stream)
{
    if (getenv("FAKE_NCCL_FAILS"))
        return 5;
    if (depth && waiters < GROUP) {
        waiting[waiters].stream = stream;
        waiting[waiters++].ns = count * 1000ull;
    } else {
        fake_occupy(stream, count * 1000ull);
    }
    return 0;
}

int fake_comm(void **comm, int rank, int size)
{
    struct comm *c = malloc(sizeof *c);
    c->rank = rank;
    c->size = size;
    *comm = c;
    return 0;
}

int ncclCommCount(struct comm *c, int *n)
{
    return *n = c->size, 0;
}
int ncclCommUserRank(struct comm *c, int *n)
{
    return *n = c->rank, 0;
}
int ncclGetVersion(int *n)
{
    return *n = 22703, 0;
}
int ncclCommDestroy(struct comm *c)
{
    return free(c), 0;
}
int ncclCommAbort(struct comm *c)
{
    return free(c), 0;
}
int ncclCommFinalize(struct comm *c)
{
    return (void)c, 0;
}
int ncclGroupStart(void)
{
    return depth++, 0;
}

int ncclGroupEnd(void)
{
    if (--depth == 0)
        while (waiters) {
            waiters--;
            fake_occupy(waiting[waiters].stream, waiting[waiters].ns);
        }
    return 0;
}

#define ARGS const void *a, void *b, size_t n, int t
int ncclAllReduce(ARGS, int op, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclReduceScatter(ARGS, int op, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclAllGather(ARGS, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclAlltoAll(ARGS, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclBroadcast(ARGS, int root, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclReduce(ARGS, int op, int root, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclSend(const void *a, size_t n, int t, int p, void *c, void *s)
{
    return enqueue(n, s);
}
int ncclRecv(void *a, size_t n, int t, int p, void *c, void *s)
{
    return enqueue(n, s);
}
