/* gloo.c: gloo's collectives, which PyTorch uses on CPUs.
 *
 * Each is a C++ function that gets one object, its options, and returns when the operation has
 * ended. PyTorch calls them in threads of its own, two for a group. An exception passes through.
 *
 * The operation's properties are in its options. RATIONALE: gloo has no stable header that could be
 * included, but the fields used here have had the same offsets since 2019. Each is used only if all
 * are consistent: the buffer is as long as elements and their size say, and rank and size are
 * sensible. Else the call is counted without bytes, and is no boundary. Only memory that the kernel
 * reports as readable is read.
 */
#include <errno.h>

#include "block.h"
#include "ccl.h"
#include "core.h"
#include "inject.h"
#include "mpi/mpi_account.h"
#include "sys.h"
#include "text.h"

#include "../../include/jst_frame.h"

#define LEAST_ELEMENT 1u
#define MOST_ELEMENT 64u
#define MOST_RANKS (1u << 20)

/* Offsets of fields in options, in words of 8 bytes; 0: not there. The data: the buffer that all
 * ranks have; where the options have a vector of buffers, its first. */
typedef struct layout {
    const char *name, *symbol; /* gloo::allreduce, and its symbol for the linker */
    uint8_t klass;
    bool global, vector;
    uint8_t buffer, elements, element_size;
    uint8_t tag; /* in words of 4 bytes */
} layout;

#define CCL_ALL JST_MPI_CCL_ALL_TO_ALL
#define CCL_OUT JST_MPI_CCL_ONE_TO_ALL
#define CCL_IN JST_MPI_CCL_ALL_TO_ONE

/* X(name, symbol, class, all wait for all, has a vector of buffers, buffer, elements, size of one, tag) */
#define GLOO(X)                                                                                    \
    X(allreduce, "_ZN4gloo9allreduceERKNS_16AllreduceOptionsE", CCL_ALL, true, true, 7, 10, 11,    \
      32)                                                                                          \
    X(allgather, "_ZN4gloo9allgatherERNS_16AllgatherOptionsE", CCL_ALL, true, false, 3, 0, 4, 10)  \
    X(allgatherv, "_ZN4gloo10allgathervERNS_17AllgathervOptionsE", CCL_ALL, true, false, 3, 0, 7,  \
      16)                                                                                          \
    X(alltoall, "_ZN4gloo8alltoallERNS_15AlltoallOptionsE", CCL_ALL, true, false, 3, 0, 4, 10)     \
    X(alltoallv, "_ZN4gloo9alltoallvERNS_16AlltoallvOptionsE", CCL_ALL, true, false, 3, 0, 16, 34) \
    X(barrier, "_ZN4gloo7barrierERNS_14BarrierOptionsE", JST_MPI_CCL_BARRIER, true, false, 0, 0,   \
      0, 6)                                                                                        \
    X(broadcast, "_ZN4gloo9broadcastERNS_16BroadcastOptionsE", CCL_OUT, false, false, 3, 4, 5, 13) \
    X(scatter, "_ZN4gloo7scatterERNS_14ScatterOptionsE", CCL_OUT, false, false, 5, 0, 6, 15)       \
    X(reduce, "_ZN4gloo6reduceERNS_13ReduceOptionsE", CCL_IN, false, false, 3, 4, 5, 22)           \
    X(gather, "_ZN4gloo6gatherERNS_13GatherOptionsE", CCL_IN, false, false, 2, 0, 4, 11)           \
    X(gatherv, "_ZN4gloo7gathervERNS_14GathervOptionsE", CCL_IN, false, false, 2, 0, 7, 17)

#define DECLARE(name, symbol, ...) JST_EXPORT void jst_gloo_##name(void *options) __asm__(symbol);
GLOO(DECLARE)
#undef DECLARE

/* ---- reading options ---- */

/* A word of another library's object, if it can be read. */
__attribute__((no_sanitize("address"))) static bool word_at(const void *from, unsigned index,
                                                            uint64_t *to)
{
    enum { NO_SUCH_WAY = 99 }; /* the kernel looks at the mask first, then refuses */
    const uint64_t *at = (const uint64_t *)from + index;
    if (!from || ((uintptr_t)at & 7) ||
        jst_sys4(SYS_rt_sigprocmask, NO_SUCH_WAY, at, NULL, 8) != -EINVAL)
        return false;
    *to = *at;
    return true;
}

static bool pointer_at(const void *from, unsigned index, const void **to)
{
    uint64_t word;
    if (!word_at(from, index, &word))
        return false;
    *to = (const void *)word; // NOLINT(performance-no-int-to-ptr): it was one
    return true;
}

static bool is_rank_and_size(uint64_t word)
{
    uint32_t rank = (uint32_t)word, size = (uint32_t)(word >> 32);
    return size >= 1 && size <= MOST_RANKS && rank < size;
}

/* Its context begins with its rank and its size, in older versions (2022) behind a table of functions,
 * whose address is such a pair only with a probability of 1 in 100 000; a rank has to be the
 * launcher's anyway. */
static bool group_of(const void *options, jst_ccl_group *group)
{
    const void *context;
    uint64_t word;
    if (!pointer_at(options, 0, &context) || !word_at(context, 0, &word))
        return false;
    if (!is_rank_and_size(word) && !word_at(context, 1, &word))
        return false;
    *group = (jst_ccl_group){context, (uint32_t)word, (uint32_t)(word >> 32), "gloo", false};
    return is_rank_and_size(word);
}

/* A buffer begins with a table of functions, its address and its length. */
static bool length_of(const void *options, const layout *l, uint64_t *bytes)
{
    const void *buffer, *memory;
    if (!pointer_at(options, l->buffer, &buffer))
        return false;
    if (l->vector && !pointer_at(buffer, 0, &buffer))
        return false;
    return pointer_at(buffer, 1, &memory) && word_at(buffer, 2, bytes) && *bytes < 1ull << 48;
}

/* What this rank contributes, or gets from a root. */
static bool bytes_of(const void *options, const layout *l, const jst_ccl_group *group,
                     uint64_t *bytes)
{
    uint64_t size, elements;
    *bytes = 0;
    if (!l->buffer)
        return true;
    if (!word_at(options, l->element_size, &size) || size < LEAST_ELEMENT || size > MOST_ELEMENT ||
        !length_of(options, l, bytes) || *bytes % size)
        return false;
    if (l->elements && (!word_at(options, l->elements, &elements) || elements * size != *bytes))
        return false;
    if (l->klass == CCL_ALL && !l->elements) /* the buffer has what all contribute */
        *bytes /= group->size;
    return true;
}

/* ---- calls ---- */

static bool is_ours(const void *p)
{
#define IS(name, symbol, ...)                                                                      \
    if (p == (void *)jst_gloo_##name)                                                              \
        return true;
    GLOO(IS)
#undef IS
    return false;
}

typedef void gloo_call(void *options);
typedef struct target {
    const void *_Atomic caller;
    gloo_call *_Atomic real;
} target;

#define CALLERS 4u /* of one function; more than that are looked up each time */

static gloo_call *target_of(target *known, const layout *l, const void *caller)
{
    for (unsigned i = 0; i < CALLERS; i++)
        if (atomic_load_explicit(&known[i].caller, memory_order_acquire) == caller)
            return atomic_load_explicit(&known[i].real, memory_order_acquire);
    int saved = errno;
    gloo_call *real = (gloo_call *)jst_ccl_real(l->symbol, caller, is_ours);
    static _Atomic uint32_t filling;
    uint32_t no = 0;
    if (real && atomic_compare_exchange_strong(&filling, &no, 1)) {
        for (unsigned i = 0; i < CALLERS; i++)
            if (!atomic_load(&known[i].caller)) {
                atomic_store(&known[i].real, real);
                atomic_store(&known[i].caller, caller);
                break;
            }
        atomic_store(&filling, 0);
    }
    errno = saved;
    return real;
}

static void run(target *known, const layout *l, void *options, const void *caller, uintptr_t frame)
{
    gloo_call *real = target_of(known, l, caller);
    jst_mpi_call c = {.site = (uintptr_t)caller,
                      .frame = frame,
                      .func = l->name,
                      .klass = l->klass,
                      .peer = JST_MPI_NO_PEER};
    jst_ccl_group group;
    uint64_t tag, bytes;
    bool known_group = jst_may_syscall() && group_of(options, &group);
    bool world = known_group && jst_ccl_joins(&group) && word_at(options, l->tag / 2, &tag) &&
                 bytes_of(options, l, &group, &bytes);
    uint64_t number = world ? (uint32_t)(l->tag & 1 ? tag >> 32 : tag) : 0;
    if (known_group && !bytes_of(options, l, &group, &c.bytes))
        c.bytes = 0;
    jst_block *b = jst_enter();
    if (b)
        b->cpu_ticks = 0; /* the sleep of a library's thread between calls is not waiting */
    jst_frame();          /* it throws when a partner is gone */
    if (!jst_inject_enter()(&c)) {
        real(options);
        return;
    }
    c.flags = world && l->global ? JST_MPI_GLOBAL : 0;
    if (world)
        jst_ccl_begins(number, &c);
    real(options);
    unsigned flags = c.flags;
    c.flags = 0; /* whether it is a boundary is decided in the order of numbers */
    jst_mpi_leave(&c);
    c.flags = (uint8_t)flags;
    if (world)
        jst_ccl_ends(number, &c);
}

#define DEFINE(function, text, klass_, global_, vector_, buffer_, elements_, size_, tag_)          \
    JST_EXPORT void jst_gloo_##function(void *options)                                             \
    {                                                                                              \
        static target known[CALLERS];                                                              \
        static const layout l = {"gloo::" #function, text,  klass_, global_, vector_, buffer_,     \
                                 elements_,          size_, tag_};                                 \
        run(known, &l, options, __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa());    \
    }
GLOO(DEFINE)
