/* The independent counter's own arithmetic: bytes of a call from its arguments. */
#ifndef COUNTER_H
#define COUNTER_H
#include "../account.h"
#include <dlfcn.h>
#include <mpi.h>

/* The next function of this name in the process: the MPI's, or another tool's. */
static inline void *counter_next(void **slot, const char *name)
{
    if (*slot == NULL) {
        *slot = dlsym(RTLD_NEXT, name);
        MUST(*slot != NULL);
    }
    return *slot;
}
#define NEXT(name, slot) ((__typeof__(&P##name))counter_next(slot, "P" #name))
#define ASK(name)                                                                                  \
    ({                                                                                             \
        static void *ask_;                                                                         \
        NEXT(name, &ask_);                                                                         \
    })

extern __thread int counter_depth;

static inline long long sized(long long count, MPI_Datatype type)
{
    int bytes = 0;
    ASK(MPI_Type_size)(type, &bytes);
    return count * bytes;
}

static inline int inter(MPI_Comm comm)
{
    int flag = 0;
    ASK(MPI_Comm_test_inter)(comm, &flag);
    return flag;
}

static inline int ranks(MPI_Comm comm)
{
    int n = 0;
    ASK(MPI_Comm_size)(comm, &n);
    return n;
}

/* Those whom a collective reaches. */
static inline int others(MPI_Comm comm)
{
    int n = 0;
    if (!inter(comm)) {
        return ranks(comm);
    }
    ASK(MPI_Comm_remote_size)(comm, &n);
    return n;
}

static inline int self(MPI_Comm comm)
{
    int n = 0;
    ASK(MPI_Comm_rank)(comm, &n);
    return n;
}

#define COUNTER_SUM(name, type)                                                                    \
    static inline long long name(const type *counts, int n)                                        \
    {                                                                                              \
        long long all = 0;                                                                         \
        for (int i = 0; i < n; i++) {                                                              \
            all += counts[i];                                                                      \
        }                                                                                          \
        return all;                                                                                \
    }
COUNTER_SUM(sum, int)
COUNTER_SUM(sum_c, MPI_Count)

static inline long long mixed(const int *counts, const MPI_Datatype *types, int n)
{
    long long all = 0;
    for (int i = 0; i < n; i++) {
        all += sized(counts[i], types[i]);
    }
    return all;
}

/* Who a call with a root is for us: between groups a root may say so itself. */
enum role { ROLE_ROOT, ROLE_OTHER, ROLE_OUTSIDE };

static inline enum role role(int root, MPI_Comm comm)
{
    if (inter(comm)) {
        return root == MPI_ROOT ? ROLE_ROOT : root == MPI_PROC_NULL ? ROLE_OUTSIDE : ROLE_OTHER;
    }
    return self(comm) == root ? ROLE_ROOT : ROLE_OTHER;
}

static inline long long casting(long long bytes, int root, MPI_Comm comm)
{
    return role(root, comm) == ROLE_OUTSIDE ? 0 : bytes;
}

static inline long long scattering(long long each, const int *counts, MPI_Datatype sent,
                                   long long count, MPI_Datatype received, int root, MPI_Comm comm)
{
    switch (role(root, comm)) {
    case ROLE_ROOT:
        return counts != NULL ? sized(sum(counts, others(comm)), sent)
                              : sized(each, sent) * others(comm);
    case ROLE_OTHER:
        return sized(count, received);
    default:
        return 0;
    }
}

/* What this rank gives to a root: between groups the root's group gives nothing. */
static inline long long giving(const void *from, long long count, MPI_Datatype type, long long each,
                               const int *counts, MPI_Datatype own, int root, MPI_Comm comm)
{
    if (inter(comm) && role(root, comm) != ROLE_OTHER) {
        return 0;
    }
    if (from == MPI_IN_PLACE) {
        return sized(counts != NULL ? counts[self(comm)] : each, own);
    }
    return sized(count, type);
}

static inline int degree(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, n = 0, in = 0, weighted;
    ASK(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_CART) {
        ASK(MPI_Cartdim_get)(comm, &n);
        return 2 * n;
    }
    if (kind == MPI_GRAPH) {
        ASK(MPI_Graph_neighbors_count)(comm, self(comm), &n);
        return n;
    }
    ASK(MPI_Dist_graph_neighbors_count)(comm, &in, &n, &weighted);
    return n;
}

/* Persistent requests: what a start of them counts as. */
struct kept {
    MPI_Request request;
    int klass;
    long long bytes;
};
extern struct kept counter_kept[256];
void counter_keep(MPI_Request request, int klass, long long bytes);
void counter_start(MPI_Request request);
void counter_forget(MPI_Request request);

/* WRAP(name, parameters, arguments, class, bytes): a counted function, under both its names. The
 * outermost frame counts; a failed call moved nothing. THEN is done after a successful call. */
#define WRAP_THEN(name, parameters, arguments, klass, bytes, THEN)                                 \
    int name parameters                                                                            \
    {                                                                                              \
        static void *next_;                                                                        \
        int outer = counter_depth++ == 0;                                                          \
        int result = NEXT(name, &next_) arguments;                                                 \
        if (outer) {                                                                               \
            account_add(C_##klass, 1, result == MPI_SUCCESS ? (long long)(bytes) : 0);             \
            if (result == MPI_SUCCESS) {                                                           \
                THEN;                                                                              \
            }                                                                                      \
        }                                                                                          \
        counter_depth--;                                                                           \
        return result;                                                                             \
    }                                                                                              \
    int P##name parameters __attribute__((alias(#name)))
#define WRAP(name, parameters, arguments, klass, bytes)                                            \
    WRAP_THEN(name, parameters, arguments, klass, bytes, (void)0)
#endif
