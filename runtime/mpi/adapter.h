/* adapter.h: shared declarations of an adapter: the MPI's own functions, cached facts about its
 * handles, tables of requests. Compiled once per MPI from that MPI's mpi.h, linked to none: every
 * function and object of the MPI is found at run time, by jst_mpi_host.real.
 */
#ifndef JST_ADAPTER_H
#define JST_ADAPTER_H

#include "jst_frame.h"
#include "jst_mpi.h"

#include <mpi.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Which kind of MPI. Handles that are integers are their own Fortran handles (MPICH and its
 * descendants). An MPI with an ABI of its own may define MPI_ABI_VERSION too, as -1. */
#if defined(OPEN_MPI)
#define JST_KIND "openmpi"
#elif defined(MPICH_VERSION) || defined(MPICH_NAME) || defined(I_MPI_VERSION)
#define JST_KIND "mpich"
#define JST_INTEGER_HANDLES 1
#else
#define JST_KIND "abi"
#define JST_STANDARD_ABI 1
typedef int MPI_Fint; /* its mpi.h may leave Fortran out */
#endif
#ifndef JST_ADAPTER_NAME
#define JST_ADAPTER_NAME JST_KIND
#endif

/* Known before the call: it returns at once whether anything has arrived or not. */
#ifndef JST_MPI_POLL
#define JST_MPI_POLL 0u
#endif

#define JST_LIKELY(x) __builtin_expect(!!(x), 1)

extern jst_mpi_host jst_host;

/* The MPI's own functions that the adapter calls; a name that the MPI lacks is NULL. */
#define JST_PMPI(X)                                                                                \
    X(int, Type_size, (MPI_Datatype, int *))                                                       \
    X(int, Type_size_x, (MPI_Datatype, MPI_Count *))                                               \
    X(int, Comm_size, (MPI_Comm, int *))                                                           \
    X(int, Comm_rank, (MPI_Comm, int *))                                                           \
    X(int, Comm_remote_size, (MPI_Comm, int *))                                                    \
    X(int, Comm_test_inter, (MPI_Comm, int *))                                                     \
    X(int, Comm_group, (MPI_Comm, MPI_Group *))                                                    \
    X(int, Comm_remote_group, (MPI_Comm, MPI_Group *))                                             \
    X(int, Group_translate_ranks, (MPI_Group, int, const int *, MPI_Group, int *))                 \
    X(int, Group_free, (MPI_Group *))                                                              \
    X(int, Group_size, (MPI_Group, int *))                                                         \
    X(int, Win_get_group, (MPI_Win, MPI_Group *))                                                  \
    X(int, Comm_get_attr, (MPI_Comm, int, void *, int *))                                          \
    X(int, Comm_get_parent, (MPI_Comm *))                                                          \
    X(int, Query_thread, (int *))                                                                  \
    X(int, Initialized, (int *))                                                                   \
    X(int, Topo_test, (MPI_Comm, int *))                                                           \
    X(int, Cartdim_get, (MPI_Comm, int *))                                                         \
    X(int, Graph_neighbors_count, (MPI_Comm, int, int *))                                          \
    X(int, Dist_graph_neighbors_count, (MPI_Comm, int *, int *, int *))                            \
    X(int, Cart_shift, (MPI_Comm, int, int, int *, int *))                                         \
    X(int, Graph_neighbors, (MPI_Comm, int, int, int *))                                           \
    X(int, Dist_graph_neighbors, (MPI_Comm, int, int *, int *, int, int *, int *))                 \
    X(MPI_Comm, Comm_f2c, (MPI_Fint))                                                              \
    X(MPI_Fint, Comm_c2f, (MPI_Comm))                                                              \
    X(MPI_Datatype, Type_f2c, (MPI_Fint))                                                          \
    X(MPI_Fint, Type_c2f, (MPI_Datatype))                                                          \
    X(MPI_Win, Win_f2c, (MPI_Fint))                                                                \
    X(MPI_Message, Message_f2c, (MPI_Fint))                                                        \
    X(MPI_Request, Request_f2c, (MPI_Fint))                                                        \
    X(int, Get_count, (const void *, MPI_Datatype, int *))                                         \
    X(int, Test_cancelled, (const void *, int *))

#define JST_PMPI_MEMBER(result, name, arguments) result(*name) arguments;
struct jst_pmpi {
    JST_PMPI(JST_PMPI_MEMBER)
};
extern struct jst_pmpi jst_pmpi;

/** The address of an object of the MPI, NULL if it has none of this name. */
void *jst_object(const char *name);

/* ---- facts.c: facts about handles -------------------------------------------------- */

/* A cache is 256 words; a word holds a handle's upper bits, a mark that it is in use, and 24 bits
 * of fact: one relaxed load and store of a word, so readers never see half an entry. The word's
 * index and its upper bits together give the whole handle (jst_cache_place is invertible). */
#define JST_CACHE_WORDS 256u
#define JST_CACHE_FACT 0xffffffu
typedef struct jst_cache {
    uint64_t words[JST_CACHE_WORDS];
} jst_cache;

extern jst_cache jst_sizes, jst_sizes_f; /* by datatype: bytes */
extern jst_cache jst_comms, jst_comms_f; /* by communicator: JST_COMM_*, number of members */
extern MPI_Comm jst_world;

#define JST_COMM_WORLD 0x800000u /* an intra-communicator as large as MPI_COMM_WORLD */
#define JST_COMM_INTER 0x400000u
#define JST_COMM_MEMBERS 0x3fffffu

static inline uint64_t jst_key(uintptr_t handle)
{
    return sizeof(MPI_Datatype) == 4 ? (uint32_t)handle : handle;
}

/* Integer handles have a number in their lower bits, and their kind in the highest. */
static inline unsigned jst_cache_place(uint64_t key)
{
    if (sizeof(MPI_Datatype) == 4) {
        return (uint8_t)(key ^ (key >> 24));
    }
    return (uint8_t)(key ^ (key >> 8));
}
_Static_assert(JST_CACHE_WORDS == 256, "a place is a byte");

/** The word in a cache for key when its fact is 0. */
static inline uint64_t jst_cache_word(uint64_t key)
{
    return (key >> 8) << 25 | 1u << 24;
}

static inline bool jst_cache_find(const jst_cache *cache, uint64_t key, uint32_t *fact)
{
    const uint64_t word = __atomic_load_n(&cache->words[jst_cache_place(key)], __ATOMIC_RELAXED);
    *fact = (uint32_t)word & JST_CACHE_FACT;
    return JST_LIKELY((word & ~(uint64_t)JST_CACHE_FACT) == jst_cache_word(key));
}

/** Ranks of MPI_COMM_WORLD (also sets jst_world); without MPI_Init those that a session knows, 0 if
 *  none does. */
int jst_world_size(void);
extern int jst_session_size;
uint64_t jst_size_slow(MPI_Datatype type);
uint64_t jst_size_slow_f(MPI_Fint type);
uint32_t jst_comm_slow(MPI_Comm comm);
uint32_t jst_comm_slow_f(MPI_Fint comm);

/** Forget what is known of a handle that is about to be freed. */
void jst_drop_type(MPI_Datatype type);
void jst_drop_comm(MPI_Comm comm);

/** Bytes of one element; 0 for the null datatype. */
static inline uint64_t jst_size(MPI_Datatype type)
{
    uint32_t fact;
    return jst_cache_find(&jst_sizes, jst_key((uintptr_t)type), &fact) ? fact : jst_size_slow(type);
}

/** Facts of a communicator: JST_COMM_*. */
static inline uint32_t jst_comm(MPI_Comm comm)
{
    uint32_t fact;
    return jst_cache_find(&jst_comms, jst_key((uintptr_t)comm), &fact) ? fact : jst_comm_slow(comm);
}

/** JST_MPI_GLOBAL where a collective on comm involves all ranks, else 0. */
static inline unsigned jst_global(MPI_Comm comm)
{
    if (JST_LIKELY(comm == __atomic_load_n(&jst_world, __ATOMIC_RELAXED))) {
        return JST_MPI_GLOBAL;
    }
    return jst_comm(comm) & JST_COMM_WORLD ? JST_MPI_GLOBAL : 0;
}

#include "roster.h"
#include "status.h"

/** World rank of a partner, if it is requested. */
static inline uint32_t jst_peer(int rank, MPI_Comm comm)
{
    if (rank < 0) { /* MPI_PROC_NULL, MPI_ANY_SOURCE */
        return JST_MPI_NO_PEER;
    }
    if (comm == __atomic_load_n(&jst_world, __ATOMIC_RELAXED)) {
        return (uint32_t)rank;
    }
    return jst_host.peers ? jst_world_rank(jst_roster_of(comm), rank) : JST_MPI_NO_PEER;
}

#ifdef JST_INTEGER_HANDLES
#define jst_c_comm(comm) ((MPI_Comm)(comm))
#define jst_c_type(type) ((MPI_Datatype)(type))
#define jst_c_request(request) ((MPI_Request)(request))
#define jst_size_f(type) jst_size((MPI_Datatype)(type))
#define jst_global_f(comm) jst_global((MPI_Comm)(comm))
#define jst_roster_of_f(comm) jst_roster_of((MPI_Comm)(comm))
#define jst_peer_f(rank, comm) jst_peer(rank, (MPI_Comm)(comm))
#define jst_c_win(win) ((MPI_Win)(win))
#define jst_c_message(message) ((MPI_Message)(message))
#else
#define jst_c_win(win) jst_pmpi.Win_f2c(win)
#define jst_c_message(message) jst_pmpi.Message_f2c(message)
#define jst_c_comm(comm) jst_pmpi.Comm_f2c(comm)
#define jst_c_type(type) jst_pmpi.Type_f2c(type)
#define jst_c_request(request) jst_pmpi.Request_f2c(request)
extern MPI_Fint jst_world_f;

static inline uint64_t jst_size_f(MPI_Fint type)
{
    uint32_t fact;
    return jst_cache_find(&jst_sizes_f, (uint32_t)type, &fact) ? fact : jst_size_slow_f(type);
}

static inline unsigned jst_global_f(MPI_Fint comm)
{
    uint32_t fact;
    if (JST_LIKELY(comm == __atomic_load_n(&jst_world_f, __ATOMIC_RELAXED))) {
        return JST_MPI_GLOBAL;
    }
    if (!jst_cache_find(&jst_comms_f, (uint32_t)comm, &fact)) {
        fact = jst_comm_slow_f(comm);
    }
    return fact & JST_COMM_WORLD ? JST_MPI_GLOBAL : 0;
}

static inline jst_roster *jst_roster_of_f(MPI_Fint comm)
{
    return jst_roster_of(comm == __atomic_load_n(&jst_world_f, __ATOMIC_RELAXED)
                             ? __atomic_load_n(&jst_world, __ATOMIC_RELAXED)
                             : jst_c_comm(comm));
}

static inline uint32_t jst_peer_f(int rank, MPI_Fint comm)
{
    if (rank < 0) {
        return JST_MPI_NO_PEER;
    }
    if (comm == __atomic_load_n(&jst_world_f, __ATOMIC_RELAXED)) {
        return (uint32_t)rank;
    }
    return jst_host.peers ? jst_world_rank(jst_roster_of_f(comm), rank) : JST_MPI_NO_PEER;
}
#endif

/* The words for bytes in schema/mpi_calls.toml. */
uint64_t jst_ranks(MPI_Comm comm);
uint64_t jst_members(MPI_Comm comm);
int jst_rank(MPI_Comm comm);
uint64_t jst_out(MPI_Comm comm);
uint64_t jst_in(MPI_Comm comm);
bool jst_is_root(int root, MPI_Comm comm);
bool jst_is_leaf(int root, MPI_Comm comm);
bool jst_contributes(int root, MPI_Comm comm);
uint64_t jst_at(const void *array, size_t width, uint64_t index);
uint64_t jst_sum(const void *array, size_t width, uint64_t count);
uint64_t jst_dot(const void *array, size_t width, const MPI_Datatype *types, uint64_t count);
uint64_t jst_dot_f(const void *array, size_t width, const MPI_Fint *types, uint64_t count);
/** Fortran's MPI_IN_PLACE; described: buffer is a descriptor that begins with the address. */
bool jst_in_place_f(const void *buffer, bool described);
#ifndef jst_in_place /* large/mpi.h has its own */
#define jst_in_place(buffer) ((buffer) == MPI_IN_PLACE)
#endif

/* ---- requests.c -------------------------------------------------------------------------- */

typedef struct jst_request { /* 64 bytes: a cache line */
    uintptr_t request;       /* the handle */
    const char *func;        /* the call that started or will start it */
    const char *collective;  /* as in jst_mpi_call */
    void *kept;              /* memory to free when it ends (int_counts.c) */
    jst_roster *ranks; /* receives: ranks that a status names; collectives: members; or NULL */
    uint64_t bytes;    /* of receives: buffer size */
    uint32_t order;    /* number of its start, among all */
    uint32_t peer;
    uint32_t stamp; /* generation of ranks: if it differs now, they are gone */
    uint8_t klass;  /* persistent: counted at each start; JST_MPI_IRECV: a receive */
    uint8_t flags;  /* JST_MPI_GLOBAL: it is a global collective */
    bool persistent;
    bool active; /* started, not completed, and of interest to wait and test */
} jst_request;

/* Flag of a request: its kept memory begins with the jst_messages of each start. */
#define JST_PASSES 0x80u

/* What a persistent neighbourhood collective sends to `out` and receives from `in` neighbours. */
typedef struct jst_messages {
    uint32_t out, in;
    struct {
        uint32_t rank;
        uint64_t bytes;
    } each[];
} jst_messages;

/** Those of comm's neighbours, bytes to be filled in; NULL: none. chain: memory to keep. */
jst_messages *jst_messages_of(MPI_Comm comm, void **chain);

/* The requests of a wait or test call, while there are any of interest. Those of more than
 * JST_PENDING (of JST_COPIES, where threads call at once) lie in memory of their own. */
#define JST_PENDING 64u
#define JST_COPIES 4u
typedef struct jst_pending {
    unsigned count; /* 0: none */
    bool fortran;
    const void *requests; /* the caller's array */
    uintptr_t *handles;   /* its content before the call */
    const char *statuses; /* as the MPI fills them, NULL: they cannot be read */
    jst_request *copies;  /* copies from before the call: where threads call at once */
    void *memory;
    uintptr_t few[JST_PENDING];
    MPI_Status own[JST_PENDING];
    jst_request few_copies[JST_COPIES];
} jst_pending;

extern unsigned jst_outstanding, jst_known; /* active requests; all that are in the table */
extern bool jst_many_threads;               /* other threads may call the MPI at the same time */

/** Remember a request: made by a non-blocking global collective, or persistent. False: too many. */
bool jst_remember(MPI_Request request, const jst_request *facts);
/** Remember a receive, until it ends. peer: its source's world rank; where the status gives it,
 *  ranks are those that it names. */
bool jst_receive(MPI_Request request, uint64_t room, uint32_t peer, jst_roster *ranks);
/** Counts what persistent requests start. requests: MPI_Request, or MPI_Fint if fortran. */
void jst_started(const jst_mpi_call *call, int count, const void *requests, bool fortran);
void jst_forget(MPI_Request request);
/** Memory to free when request ends. */
void jst_keep(MPI_Request request, void *kept, bool persistent);
/** Remembers a message that a probe matched, until it is received: the ranks of its
 * communicator. */
void jst_matched(MPI_Message message, jst_roster *ranks);
jst_roster *jst_matched_ranks(MPI_Message message);
/** To be called before a call that may complete requests; statuses: as the program gave them.
 *  Returns those to pass to the MPI. */
void *jst_take_all(jst_pending *pending, int count, const void *requests, void *statuses,
                   bool fortran);
/** To be called after it, with what ended. indices[] are the positions of `done` requests (the
 *  first is base), in the order of their statuses; < 0: of all requests, those whose handles are
 *  gone, and persistent ones. */
void jst_settle(jst_mpi_call *call, jst_pending *pending, int result, int done, const void *indices,
                int base);

static inline bool jst_any_outstanding(void)
{
    return __atomic_load_n(&jst_outstanding, __ATOMIC_RELAXED) != 0;
}

static inline uintptr_t jst_handle_at(const void *requests, int i, bool fortran)
{
#ifndef JST_INTEGER_HANDLES
    if (fortran) {
        return (uintptr_t)jst_c_request(((const MPI_Fint *)requests)[i]);
    }
#endif
    (void)fortran; /* the same handles, where they are integers */
    return (uintptr_t)((const MPI_Request *)requests)[i];
}

/** As jst_take_all, for one request with little to do. */
static inline void *jst_take(jst_pending *pending, int count, const void *requests, void *statuses,
                             bool fortran)
{
    if (count != 1 || __atomic_load_n(&jst_many_threads, __ATOMIC_RELAXED)) {
        return jst_take_all(pending, count, requests, statuses, fortran);
    }
    pending->count = 1;
    pending->fortran = fortran;
    pending->requests = requests;
    pending->copies = NULL;
    pending->memory = NULL;
    pending->handles = pending->few;
    pending->few[0] = jst_handle_at(requests, 0, fortran);
    void *seen =
        fortran ? jst_status_f(statuses, pending->own) : jst_status(statuses, pending->own);
    pending->statuses = seen;
    return seen ? seen : statuses;
}

/* ---- init_finalize.c: begin and end of the MPI ------------------------------------------------------ */

/** The program's first MPI_Init or MPI_Session_init makes it an MPI program, the call that leaves
 *  neither a session nor MPI_COMM_WORLD open ends this. */
void jst_before_init(bool session);
void jst_after_init(void);
void jst_after_session(const void *session, bool fortran);
void jst_before_finalize(bool session);
void jst_after_finalize(void);

/* ---- int_counts.c: large-count calls on an MPI that has none ----------------------------------- */

typedef struct jst_narrowed {
    void *chain; /* arrays made so far */
    bool bad;    /* a number does not fit, or memory is short */
} jst_narrowed;

/** A copy of array as int; NULL for an empty one. */
int *jst_narrow(jst_narrowed *made, const void *array, size_t width, uint64_t count);
void jst_narrow_free(void *chain);
/** Memory that is freed with a chain, as its first link; NULL: there is none. */
void *jst_link(void **chain, size_t bytes);
void *jst_first_of(void *chain);
/** Both chains as one, the links of the first before those of the other. */
void *jst_join(void *chain, void *more);

/* ---- adapter.c, generated/ ----------------------------------------------------------------- */

typedef struct jst_function {
    unsigned id;
    void *address;
} jst_function;

extern void *jst_reals[];     /* by wrapper: the function that it calls */
extern void *jst_functions[]; /* by wrapper: the wrapper itself */

static inline void *jst_real_of(unsigned id)
{
    void *real = __atomic_load_n(&jst_reals[id], __ATOMIC_RELAXED);
#ifndef __x86_64__
    /* The slot of this wrapper may have become visible before this word. */
    while (!real) {
        real = __atomic_load_n(&jst_reals[id], __ATOMIC_ACQUIRE);
    }
#endif
    return real;
}

/* The return address of the wrapper in which this is used, and its frame: the caller's stack
 * pointer, the same for all calls from one frame, lower in a nested one. */
#define JST_HERE(call)                                                                             \
    do {                                                                                           \
        jst_frame();                                                                               \
        (call)->site = (uintptr_t)__builtin_return_address(0);                                     \
        (call)->frame = (uintptr_t)__builtin_dwarf_cfa();                                          \
    } while (0)

/** Whether the wrapper with this frame was called by another one: then it only calls through. */
static inline bool jst_is_inner(uintptr_t frame)
{
    const char *const thread = __builtin_thread_pointer();
    return jst_mpi_is_inner((const jst_mpi_outer *)(thread + jst_host.outer), frame);
}

/** The rest of a call record. Member by member: as an initializer it would be a memset. */
static inline __attribute__((always_inline)) void jst_begin(jst_mpi_call *call, const char *func,
                                                            unsigned klass, unsigned flags)
{
    call->func = func;
    call->bytes = 0;
    call->peer = JST_MPI_NO_PEER;
    if (klass == JST_MPI_SENDRECV) {
        call->source = JST_MPI_NO_PEER;
        call->room = 0;
    }
    if (klass == JST_MPI_SENDRECV || klass == JST_MPI_RECV || klass == JST_MPI_ACCUMULATE) {
        call->sized = false;
    }
    if (klass == JST_MPI_IRECV) {
        call->later = false;
    }
    call->collective = NULL;
    call->klass = (uint8_t)klass;
    call->flags = (uint8_t)flags;
    call->ended_func = NULL;
}

/** Reads a blocking receive's status. status: NULL, it cannot be read; ranks: those that it
 * names. */
static inline void jst_set_arrived(jst_mpi_call *call, const void *status, uint32_t *source,
                                   const jst_roster *ranks)
{
    jst_arrival arrival;
    if (status && jst_status_read(status, &arrival)) {
        call->arrived = arrival.bytes;
        call->sized = arrival.known;
        if (ranks) {
            *source = jst_world_rank(ranks, arrival.source);
        }
    }
}

static inline void jst_leave(jst_mpi_call *call, int result)
{
    call->failed = result != MPI_SUCCESS;
    jst_host.leave(call);
}

/** A Fortran call's result. Where the program left ierror out the wrapper passed one of its own:
 *  else a call that failed would look like one whose handles are valid. */
static inline int jst_result(const void *ierror)
{
    return (int)*(const MPI_Fint *)ierror;
}

#pragma GCC visibility pop

#endif
