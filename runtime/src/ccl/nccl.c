/* nccl.c: functions of NCCL, and of RCCL, which has the same names.
 *
 * Their calls enqueue and return. Their bytes are counted at once; when operations ended, and where
 * segments end, is found by events (communicator.c). Own declarations: no header of NVIDIA's or
 * AMD's is needed.
 */
#include <errno.h>

#include "block.h"
#include "ccl.h"
#include "communicator.h"
#include "config.h"
#include "core.h"
#include "mpi/mpi_account.h"
#include "mpi/peers.h"
#include "text.h"

#define UNHANDLED 3 /* ncclInternalError */

/* ncclDataType_t, the same in both libraries */
static const uint8_t size_of[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

#define ALL JST_MPI_CCL_ALL_TO_ALL
#define OUT JST_MPI_CCL_ONE_TO_ALL
#define IN JST_MPI_CCL_ALL_TO_ONE
#define SEND JST_MPI_CCL_SEND
#define RECV JST_MPI_CCL_RECV

/* X(name, parameters, arguments, class, bytes of this rank as a multiple of count: 1 or the group's size,
 *   peer) */
#define NCCL_CALLS(X)                                                                              \
    X(ncclAllReduce,                                                                               \
      (const void *from, void *to, size_t count, int type, int op, void *comm, void *stream),      \
      (from, to, count, type, op, comm, stream), ALL, 1, -1)                                       \
    X(ncclAllGather,                                                                               \
      (const void *from, void *to, size_t count, int type, void *comm, void *stream),              \
      (from, to, count, type, comm, stream), ALL, 1, -1)                                           \
    X(ncclReduceScatter,                                                                           \
      (const void *from, void *to, size_t count, int type, int op, void *comm, void *stream),      \
      (from, to, count, type, op, comm, stream), ALL, ranks, -1)                                   \
    X(ncclAlltoAll,                                                                                \
      (const void *from, void *to, size_t count, int type, void *comm, void *stream),              \
      (from, to, count, type, comm, stream), ALL, ranks, -1)                                       \
    X(ncclAllToAll,                                                                                \
      (const void *from, void *to, size_t count, int type, void *comm, void *stream),              \
      (from, to, count, type, comm, stream), ALL, ranks, -1)                                       \
    X(ncclBroadcast,                                                                               \
      (const void *from, void *to, size_t count, int type, int root, void *comm, void *stream),    \
      (from, to, count, type, root, comm, stream), OUT, 1, -1)                                     \
    X(ncclBcast, (void *buffer, size_t count, int type, int root, void *comm, void *stream),       \
      (buffer, count, type, root, comm, stream), OUT, 1, -1)                                       \
    X(ncclScatter,                                                                                 \
      (const void *from, void *to, size_t count, int type, int root, void *comm, void *stream),    \
      (from, to, count, type, root, comm, stream), OUT, 1, -1)                                     \
    X(ncclReduce,                                                                                  \
      (const void *from, void *to, size_t count, int type, int op, int root, void *comm,           \
       void *stream),                                                                              \
      (from, to, count, type, op, root, comm, stream), IN, 1, -1)                                  \
    X(ncclGather,                                                                                  \
      (const void *from, void *to, size_t count, int type, int root, void *comm, void *stream),    \
      (from, to, count, type, root, comm, stream), IN, 1, -1)                                      \
    X(ncclSend, (const void *from, size_t count, int type, int peer, void *comm, void *stream),    \
      (from, count, type, peer, comm, stream), SEND, 1, peer)                                      \
    X(ncclRecv, (void *to, size_t count, int type, int peer, void *comm, void *stream),            \
      (to, count, type, peer, comm, stream), RECV, 1, peer)

#define DECLARE(name, parameters, ...) JST_EXPORT int name parameters;
NCCL_CALLS(DECLARE)
#undef DECLARE
JST_EXPORT int ncclGroupStart(void);
JST_EXPORT int ncclGroupEnd(void);
JST_EXPORT int ncclCommDestroy(void *comm);
JST_EXPORT int ncclCommAbort(void *comm);
JST_EXPORT int ncclCommFinalize(void *comm);

static bool is_ours(const void *p)
{
#define IS(name, ...)                                                                              \
    if (p == (void *)name)                                                                         \
        return true;
    NCCL_CALLS(IS)
    IS(ncclGroupStart)
    IS(ncclGroupEnd)
    IS(ncclCommDestroy)
    IS(ncclCommAbort)
    IS(ncclCommFinalize)
#undef IS
    return false;
}

static __thread unsigned depth;       /* of groups of calls */
static __thread const void *asked_by; /* address in the program, of the current call */

static void *find(const char *name, const void *caller)
{
    int saved = errno;
    void *p = jst_ccl_real(name, caller, is_ours);
    errno = saved;
    return p;
}

/* The first caller decides: two NCCLs in a process do not work. */
#define REAL(name, caller)                                                                         \
    ({                                                                                             \
        static void *_Atomic known;                                                                \
        void *target = atomic_load_explicit(&known, memory_order_acquire);                         \
        if (!target)                                                                               \
            atomic_store(&known, target = find(name, caller));                                     \
        target;                                                                                    \
    })

/* ---- communicators ---- */

static char *put_version(char *p, const char *end, int version)
{
    unsigned major = version < 10000 ? 1000 : 10000; /* 2708, and from 2.9 on 20903 */
    p = jst_put_text(p, end, "NCCL ");
    p = jst_put_text(jst_put_number(p, end, (unsigned)version / major), end, ".");
    p = jst_put_text(jst_put_number(p, end, (unsigned)version % major / 100), end, ".");
    return jst_put_number(p, end, (unsigned)version % 100);
}

static const char *library_name(void)
{
    static char name[32];
    static _Atomic int state; /* 1: a thread writes it, 2: it can be read */
    int no = 0, number = 0;
    if (atomic_load_explicit(&state, memory_order_acquire) == 2)
        return name;
    if (!atomic_compare_exchange_strong(&state, &no, 1))
        return "NCCL";
    int (*version)(int *) = (int (*)(int *))find("ncclGetVersion", asked_by);
    if (version && version(&number) == 0 && number > 0)
        put_version(name, name + sizeof name, number);
    else
        jst_put_text(name, name + sizeof name, "NCCL");
    atomic_store_explicit(&state, 2, memory_order_release);
    return name;
}

static bool ask(const void *comm, jst_ccl_group *group)
{
    int (*count)(const void *, int *) =
        (int (*)(const void *, int *))REAL("ncclCommCount", asked_by);
    int (*rank)(const void *, int *) =
        (int (*)(const void *, int *))REAL("ncclCommUserRank", asked_by);
    int size = 0, mine = 0;
    if (!count || !rank || count(comm, &size) != 0 || rank(comm, &mine) != 0 || size < 1)
        return false;
    *group = (jst_ccl_group){comm, (uint32_t)mine, (uint32_t)size, library_name(), true};
    return true;
}

/* ---- calls ---- */

static void count_call(jst_mpi_call *c, const jst_ccl_group *group, int peer)
{
    bool world = jst_ccl_joins(group);
    jst_mpi_count(c, c->klass, c->bytes, JST_MPI_NO_PEER);
    if (c->klass == ALL && world)
        c->flags = JST_MPI_GLOBAL;
    if (peer < 0 || !world || !jst_cfg.peers)
        return;
    if (c->klass == SEND)
        jst_peer_sent((uint32_t)peer, c->bytes);
    else
        jst_peer_received((uint32_t)peer, c->bytes, false);
}

typedef struct request {
    const char *func;
    size_t count;
    void *comm, *stream;
    const void *caller;
    int type, peer;
    uint8_t klass;
    bool of_all; /* bytes are for each rank */
} request;

static void before(const request *r)
{
    int saved = errno;
    jst_block *b = jst_enter();
    asked_by = r->caller;
    jst_ccl_group group = {0};
    jst_communicator *m = b && jst_may_syscall() ? jst_communicator_of(r->comm, ask, &group) : NULL;
    if (group.size) {
        uint64_t size = (unsigned)r->type < sizeof size_of ? size_of[r->type] : 0;
        jst_mpi_call c = {.block = b,
                          .site = (uintptr_t)r->caller,
                          .func = r->func,
                          .klass = r->klass,
                          .peer = JST_MPI_NO_PEER,
                          .bytes = r->count * size * (r->of_all ? group.size : 1)};
        count_call(&c, &group, r->peer);
        jst_enqueueing(m, &c, r->stream);
    }
    errno = saved;
}

static void after(void)
{
    int saved = errno;
    if (depth == 0)
        jst_enqueued();
    errno = saved;
}

#define IS_OF_ALL(x) (sizeof(#x) > 2)
#define DEFINE(name, parameters, arguments, klass_, of, peer_)                                     \
    JST_EXPORT int name parameters                                                                 \
    {                                                                                              \
        const void *caller = __builtin_return_address(0);                                          \
        int(*real) parameters = (int(*) parameters)REAL(#name, caller);                            \
        if (!real)                                                                                 \
            return UNHANDLED;                                                                      \
        before(                                                                                    \
            &(request){#name, count, comm, stream, caller, type, peer_, klass_, IS_OF_ALL(of)});   \
        int result = real arguments;                                                               \
        after();                                                                                   \
        return result;                                                                             \
    }
NCCL_CALLS(DEFINE)

JST_EXPORT int ncclGroupStart(void)
{
    int (*real)(void) = (int (*)(void))REAL("ncclGroupStart", __builtin_return_address(0));
    depth++;
    return real ? real() : UNHANDLED;
}

JST_EXPORT int ncclGroupEnd(void)
{
    int (*real)(void) = (int (*)(void))REAL("ncclGroupEnd", __builtin_return_address(0));
    int result = real ? real() : UNHANDLED;
    depth -= depth > 0;
    after();
    return result;
}

static void ending(const void *comm)
{
    int saved = errno;
    if (jst_enter() && jst_may_syscall())
        jst_communicator_ends(comm);
    errno = saved;
}

#define DEFINE_END(name)                                                                           \
    JST_EXPORT int name(void *comm)                                                                \
    {                                                                                              \
        int (*real)(void *) = (int (*)(void *))REAL(#name, __builtin_return_address(0));           \
        ending(comm);                                                                              \
        return real ? real(comm) : UNHANDLED;                                                      \
    }
DEFINE_END(ncclCommDestroy)
DEFINE_END(ncclCommAbort)
DEFINE_END(ncclCommFinalize)
