/* mpi_account.c: counts and times every outermost MPI call; called by the adapter.
 *
 * Costs in addition to the two time stamps, of a program with 30 000 calls a second: additions to
 * the thread's own block, one look-up in the table of call sites. No lock, no system call, except
 * the thread's CPU clock at most once a millisecond.
 */
#include <errno.h>

#include "all_in_mpi.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "inject.h"
#include "modules/papi.h"
#include "modules/perf_self.h"
#include "mpi_account.h"
#include "mpi_call_kinds.h"
#include "peers.h"
#include "profile/area.h"
#include "profile/profile_layout.h"
#include "segment.h"
#include "sys.h"

typedef struct class_cells {
    uint16_t ops, bytes, ns, state; /* bytes 0: none (cell 0 is never theirs) */
} class_cells;

#define BYTES_1(metric) JST_CELL_##metric##_BYTES
#define BYTES_0(metric) 0
#define CELLS(name, metric, bytes, state)                                                          \
    [JST_MPI_##name] = {JST_CELL_##metric##_OPS, BYTES_##bytes(metric), JST_CELL_##metric##_NS,    \
                        JST_CELL_STATE_##state##_NS},
static const class_cells cells[JST_MPI_CLASS_COUNT] = {JST_MPI_CLASSES(CELLS)};
#undef CELLS

#define CPU_PERIOD_NS 1000000u /* the thread's CPU clock is a system call of 0.2 us */
#define MATURE 16              /* calls before a usual time is used */
#define SHORT_NS 100000u       /* calls vary by tens of microseconds */

#define LONG_POLL_NS 100000000u /* longer than an MPI takes, and than a CPU limit stops a thread */

static uint64_t cpu_period = UINT64_MAX, long_poll = UINT64_MAX, short_wait; /* in ticks */

bool jst_mpi_runs(void)
{
    uint32_t state = atomic_load_explicit(&jst_a.head.mpi_state, memory_order_relaxed);
    return state == JST_MPI_STATE_STARTING || state == JST_MPI_STATE_INITIALISED;
}

/* ---- time off the CPU in the gaps between calls ---- */

static JST_SLOW void read_cpu(jst_block *b, uint64_t now)
{
    b->cpu_ns = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    b->cpu_ticks = now;
    b->call_ticks = 0;
}

void jst_mpi_off_cpu(jst_block *b, uint64_t began, uint64_t now, uint64_t used)
{
    uint64_t wall = now - began;
    if (wall <= used + wall / 64) /* the two clocks agree to about 1 % only */
        return;
    jst_add(&b->cells[JST_CELL_WAIT_OFFCPU_NS], wall - used);
    if (b != JST_LOAD(jst_segment_owner))
        return;
    if (now >= JST_LOAD(jst_bin_end))
        jst_bins_roll(b, now);
    jst_bins_spread(jst_bins_now.off, began, now, wall - used);
}

/* Wall time since the last reading, less CPU time, less the time in calls, which may have been off
 * the CPU themselves. So this is a lower bound of the gaps' time off it. */
static JST_COLD void gap_off_cpu(jst_block *b, uint64_t now)
{
    uint64_t began = b->cpu_ticks, cpu = b->cpu_ns, called = b->call_ticks;
    read_cpu(b, now);
    if (began)
        jst_mpi_off_cpu(b, began, now, jst_ns_to_ticks(b->cpu_ns - cpu) + called);
}

/* ---- instructions in the gaps ---- */

/* Read around every call, and only where a read costs a few nanoseconds (perf_self.h): instructions
 * of an MPI's polling are not work of the program. */
static __thread struct {
    uint64_t began, instructions;
    bool whole; /* all gaps were counted: the counter was never off */
} gap;

/* Is there a counter, or was there one when the gap began? On most machines programs may not read
 * one. */
static inline bool is_gap_counted(void)
{
    const jst_perf_slot *slot = jst_tls_perf;
    return slot && (gap.began || atomic_load_explicit(&slot->page, memory_order_relaxed));
}

static inline void gap_ends(void)
{
    uint64_t now = jst_perf_self();
    if (now && gap.began)
        gap.instructions += now - gap.began;
    else
        gap.whole = false;
}

/* The gap before may not have been counted. */
static JST_SLOW void gap_begins(void)
{
    uint64_t before = gap.began;
    gap.began = jst_perf_self();
    if (!before || !gap.began)
        gap.whole = false;
}

uint64_t jst_gap_instructions(void)
{
    uint64_t n = gap.whole ? gap.instructions : 0;
    gap.whole = true;
    gap.instructions = 0;
    return n;
}

/* ---- enter and leave ---- */

/* Programs poll millions of times a second with calls of 20 ns: from the POLLS-th on, one in POLLS
 * is timed, and represents all of them; but what it takes beyond LONG_POLL_NS is its own: a process
 * that was stopped for a minute in one poll was not stopped in the others. */
#define POLLS 16u

__thread jst_mpi_outer jst_tls_outer;

/* An error handler may leave MPI by longjmp or by an exception, and the outermost frame remains
 * recorded. Calls from above it are outermost anyway. So is one from below it if another return
 * address is there now: its caller, direct or not, called from the frame from which the other call
 * had come. A distant address may be on another stack, which may be gone: then the kernel is
 * queried whether it can be read. */
__attribute__((no_sanitize("address"))) static inline bool is_nested(const jst_mpi_outer *outer,
                                                                     uintptr_t frame)
{
    if (JST_LIKELY(outer->frame <= frame))
        return false;
    if (jst_mpi_is_inner(outer, frame))
        return true;
#ifdef __x86_64__
    const uintptr_t *const at = (const uintptr_t *)outer->frame - 1;
    enum { NO_SUCH_WAY = 99 }; /* the kernel looks at the mask first, then refuses */
    if (jst_may_syscall() && jst_sys4(SYS_rt_sigprocmask, NO_SUCH_WAY, at, NULL, 8) == -EINVAL)
        return *at == outer->site;
    return true;
#else
    return false;
#endif
}

/* A poll that is not timed. */
static inline bool only_counts(const jst_block *b, const jst_mpi_call *c)
{
    uint64_t n = b->cells[cells[c->klass].ops];
    return n >= POLLS && n % POLLS;
}

static inline void mark_call(jst_block *b, jst_mpi_call *c, uint64_t t)
{
    c->begin = t;
    JST_STORE(b->since, t);
    /* Other ranks read both (all_in_mpi.c); x86 keeps the order by itself. */
    __atomic_store_n(&b->mark, cells[c->klass].state, __ATOMIC_RELEASE);
}

static JST_SLOW bool enter_unusual(jst_mpi_call *c)
{
    jst_block *b = jst_enter();
    c->block = b;
    if (JST_UNLIKELY(!b || is_nested(&jst_tls_outer, c->frame)))
        return false;
    jst_tls_outer = (jst_mpi_outer){.frame = c->frame, .site = c->site};
    gap_ends();
    if ((c->flags & JST_MPI_POLL) && only_counts(b, c)) {
        c->begin = 0;
        return true;
    }
    uint64_t t = jst_ticks();
    if (JST_UNLIKELY(t - b->cpu_ticks >= cpu_period) && jst_may_syscall())
        gap_off_cpu(b, t);
    mark_call(b, c, t);
    return true;
}

static JST_SLOW bool enter_after_gap(jst_block *b, jst_mpi_call *c, uint64_t t)
{
    if (jst_may_syscall())
        gap_off_cpu(b, t);
    mark_call(b, c, t);
    return true;
}

/* RATIONALE: all unusual cases are in tail calls, so this function saves no register. */
bool jst_mpi_enter(jst_mpi_call *c)
{
    jst_block *b = (jst_block *)((uintptr_t)jst_tls_block & jst_wipe.mask);
    jst_mpi_outer *outer = &jst_tls_outer;
    JST_KEEP(outer);
    if (JST_UNLIKELY(!b || outer->frame > c->frame || is_gap_counted() || jst_ticks_are_slow()))
        return enter_unusual(c);
    c->block = b;
    *outer = (jst_mpi_outer){.frame = c->frame, .site = c->site};
    if ((c->flags & JST_MPI_POLL) && only_counts(b, c)) {
        c->begin = 0;
        return true;
    }
    uint64_t t = jst_ticks();
    if (JST_UNLIKELY(t - b->cpu_ticks >= cpu_period))
        return enter_after_gap(b, c, t);
    mark_call(b, c, t);
    return true;
}

/* Robbins-Monro: the step shrinks as one over the number of calls, so the reference is the quartile
 * of the whole run so far, which an hour of interference changes little; a rolling one would follow
 * it. */
static inline uint64_t beyond_usual(jst_site *s, uint64_t ticks)
{
    if (JST_UNLIKELY(JST_PEEK(uint64_t, s->key) == 0)) /* many kinds: no usual time */
        return 0;
    uint64_t n = JST_LOAD(s->calls) + 1, x = ticks << 8;
    uint64_t usual = JST_LOAD(s->usual);
    unsigned shrink = 63 - (unsigned)__builtin_clzll(n);
    JST_STORE(s->calls, n);
    if (JST_UNLIKELY(n == 1)) {
        JST_STORE(s->usual, x);
        return 0;
    }
    uint64_t step = (usual >> (shrink > 2 ? shrink - 2 : 0)) + 4;
    if (x >= usual) {
        JST_STORE(s->usual, usual + step / 4);
        return n > MATURE ? (x - usual) >> 8 : 0;
    }
    step -= step / 4;
    JST_STORE(s->usual, usual - x > step ? usual - step : x);
    return 0;
}

void jst_mpi_count(const jst_mpi_call *c, unsigned klass, uint64_t bytes, uint32_t peer)
{
    jst_block *b = c->block;
    jst_add(&b->cells[cells[klass].ops], 1);
    if (klass == JST_MPI_IRECV) /* its size is known at its end */
        return;
    if (bytes && cells[klass].bytes)
        jst_add(&b->cells[cells[klass].bytes], bytes);
    if (peer != JST_MPI_NO_PEER)
        jst_peer_sent(peer, bytes);
}

void jst_mpi_arrived(const jst_mpi_call *c, uint32_t peer, uint64_t bytes, bool is_room)
{
    unsigned cell = is_room ? JST_CELL_MPI_IRECV_BYTES : JST_CELL_MPI_IRECV_ARRIVED_BYTES;
    jst_add(&c->block->cells[cell], bytes);
    if (peer != JST_MPI_NO_PEER)
        jst_peer_received(peer, bytes, is_room);
}

static void ended_global(jst_block *b, const jst_mpi_call *c, uint64_t now)
{
    jst_segment_global(b, c, jst_site_of(c, c->ended_func, c->ended_bytes), c->ended_bytes, now);
}

/* Where ranks take turns on cores, the wait of one shows nothing; a wait of all does. */
static JST_COLD void waited_long(jst_block *b, const jst_mpi_call *c, uint64_t now, uint64_t beyond)
{
    uint64_t together = b == JST_LOAD(jst_segment_owner) ? jst_together(c->begin, now) : 0;
    if (together >= short_wait)
        jst_add(&b->cells[JST_CELL_WAIT_ALL_NS], together < beyond ? together : beyond);
}

/* Signatures, usual times and segments. Polling calls are left out: their number is random. */
static inline __attribute__((always_inline)) void learn(jst_block *b, const jst_mpi_call *c,
                                                        uint64_t now, uint64_t ticks)
{
    jst_site *s = jst_site_of(c, c->func, c->bytes);
    uint64_t beyond = beyond_usual(s, ticks);
    JST_STORE(b->signature, b->signature + s->hash);
    JST_STORE(b->kinds, JST_LOAD(b->kinds) | 1ull << s->bit);
    jst_add(&b->cells[JST_CELL_WAIT_MPI_NS], beyond);
    if (JST_LIKELY(beyond < short_wait))
        jst_add(&b->cells[JST_CELL_WAIT_SHORT_NS], beyond);
    else
        waited_long(b, c, now, beyond);
    if (JST_LIKELY(b == JST_PEEK(jst_block *, jst_segment_owner))) {
        if (JST_UNLIKELY(now >= JST_PEEK(uint64_t, jst_bin_end)))
            jst_bins_roll(b, now);
        if (JST_LIKELY(now - beyond >= JST_PEEK(uint64_t, jst_bin_begin)))
            jst_bin_add(&jst_bins_now.wait[JST_LOAD(jst_bins_now.at)], beyond);
        else
            jst_bins_spread(jst_bins_now.wait, now - beyond, now, beyond);
    }
    if (c->flags & JST_MPI_GLOBAL)
        jst_segment_global(b, c, s, c->bytes, now);
    else if (JST_UNLIKELY(s == JST_PEEK(jst_site *, jst_epoch_site)) &&
             (JST_LOAD(s->calls) & JST_LOAD(jst_epoch_mask)) == 0)
        jst_segment_epoch(b, s, now);
}

/* Bytes that a successful call passed. For receives, mpi_*_bytes have the buffer size of those
 * whose size is not known. */
static inline void count_bytes(jst_block *b, const jst_mpi_call *c, const class_cells *k)
{
    switch (c->klass) {
    case JST_MPI_RECV:
        jst_add(&b->cells[c->sized ? JST_CELL_MPI_RECV_ARRIVED_BYTES : k->bytes],
                c->sized ? c->arrived : c->bytes);
        return;
    case JST_MPI_IRECV:
        jst_add(&b->cells[k->bytes], c->later ? 0 : c->bytes);
        return;
    case JST_MPI_SENDRECV:
        if (c->sized) {
            jst_add(&b->cells[JST_CELL_MPI_SENDRECV_SENT_BYTES], c->bytes - c->room);
            jst_add(&b->cells[JST_CELL_MPI_SENDRECV_ARRIVED_BYTES], c->arrived);
            return;
        }
        /* fall through */
    default:
        if (c->bytes && k->bytes)
            jst_add(&b->cells[k->bytes], c->bytes);
    }
}

static void sent_to(uint32_t peer, uint64_t bytes)
{
    if (peer != JST_MPI_NO_PEER)
        jst_peer_sent(peer, bytes);
}

static void received_from(uint32_t peer, uint64_t bytes, bool is_room)
{
    if (peer != JST_MPI_NO_PEER)
        jst_peer_received(peer, bytes, is_room);
}

/* Most calls that wait or test have none. */
static inline bool has_partner(const jst_mpi_call *c)
{
    return c->peer != JST_MPI_NO_PEER || c->klass == JST_MPI_SENDRECV;
}

static void note_peers(const jst_mpi_call *c)
{
    switch (c->klass) {
    case JST_MPI_SEND:
    case JST_MPI_ISEND:
    case JST_MPI_PUT:
        sent_to(c->peer, c->bytes);
        break;
    case JST_MPI_ACCUMULATE:
        sent_to(c->peer, c->bytes);
        if (c->sized) /* the old content is fetched */
            received_from(c->peer, c->arrived, false);
        break;
    case JST_MPI_GET:
        received_from(c->peer, c->bytes, false);
        break;
    case JST_MPI_RECV:
        received_from(c->peer, c->sized ? c->arrived : c->bytes, !c->sized);
        break;
    case JST_MPI_IRECV:
        if (!c->later)
            received_from(c->peer, c->bytes, true);
        break;
    case JST_MPI_SENDRECV:
        sent_to(c->peer, c->bytes - c->room);
        received_from(c->source, c->sized ? c->arrived : c->room, !c->sized);
        break;
    default:
        break;
    }
}

void jst_mpi_leave(const jst_mpi_call *c)
{
    jst_block *b = c->block;
    const class_cells *k = &cells[c->klass];
    jst_tls_outer.frame = 0;
    if (c->begin == 0) { /* a poll that is not timed */
        jst_add(&b->cells[k->ops], 1);
        if (JST_UNLIKELY(c->ended_func != NULL))
            ended_global(b, c, jst_ticks());
        if (JST_UNLIKELY(is_gap_counted()))
            gap_begins();
        return;
    }
    uint64_t now = jst_ticks(), ticks = now - c->begin;
    if ((c->flags & JST_MPI_POLL) && b->cells[k->ops] >= POLLS)
        ticks += (POLLS - 1) * (ticks < long_poll ? ticks : long_poll);
    /* Ended already: a handler that it called jumped (left.c). */
    uint64_t in_state = JST_LIKELY(b->mark != 0) ? ticks : 0;
    JST_STORE(b->mark, 0); /* before the addition: see jst_elapsed in io.h */
    __asm__ volatile("" ::: "memory");
    jst_add(&b->cells[k->state], in_state);
    jst_add(&b->cells[k->ns], ticks);
    if (!(c->flags & JST_MPI_SILENT)) {
        jst_add(&b->cells[k->ops], 1);
        if (JST_LIKELY(!c->failed))
            count_bytes(b, c, k);
    }
    b->call_ticks += ticks;
    if (JST_UNLIKELY(now - b->cpu_ticks >= cpu_period) && jst_may_syscall())
        read_cpu(b, now); /* a gap begins with a fresh reading */
    if (JST_LIKELY(!(c->flags & JST_MPI_POLL) && c->klass != JST_MPI_TEST))
        learn(b, c, now, ticks);
    if (JST_UNLIKELY(c->ended_func != NULL))
        ended_global(b, c, now);
    if (jst_cfg.peers && !c->failed) {
        if (c->collective)
            jst_peer_collective(c->communicator, c->collective, c->peer, c->bytes);
        else if (has_partner(c))
            note_peers(c);
    }
    if (JST_UNLIKELY(is_gap_counted()))
        gap_begins();
}

/* The operation was counted when it was enqueued; this thread did not wait for it. */
void jst_mpi_completed(const jst_mpi_call *c, uint64_t now, uint64_t ticks)
{
    jst_add(&c->block->cells[cells[c->klass].ns], ticks);
    if (jst_mpi_runs())
        learn(c->block, c, now, ticks);
}

/* ---- start and end ---- */

void jst_mpi_initialising(void)
{
    jst_start(); /* a rank is never a short-lived process */
    jst_block *b = jst_enter();
    if (!b || jst_tls_vfork)
        return;
    jst_a.head.mpi_init_ns = jst_clock_ns(CLOCK_REALTIME);
    cpu_period = jst_ns_to_ticks(CPU_PERIOD_NS);
    long_poll = jst_ns_to_ticks(LONG_POLL_NS);
    short_wait = jst_ns_to_ticks(SHORT_NS);
    jst_segments_begin(b);
    atomic_store(&jst_a.head.mpi_state, JST_MPI_STATE_STARTING);
}

void jst_mpi_world(uint32_t size, uint32_t rank)
{
    jst_a.head.world_size = size;
    jst_a.head.world_rank = rank;
    jst_inject_ranked(rank);
    jst_together_begin();
}

void jst_mpi_initialised(uint32_t size, uint32_t rank, uint32_t thread_level, uint32_t appnum,
                         bool spawned)
{
    jst_head *h = &jst_a.head;
    h->thread_level = thread_level;
    h->appnum = appnum;
    h->spawned = spawned;
    h->mpi_ready_ns = jst_clock_ns(CLOCK_REALTIME);
    jst_clock_calibrate(); /* the first one was of a few milliseconds only */
    if (jst_cfg.peers)
        jst_peers_begin(size);
    jst_perf_self_begin();
    jst_papi_begin();
    jst_mpi_world(size, rank);
    atomic_store(&h->mpi_state, JST_MPI_STATE_INITIALISED);
}

void jst_mpi_finalising(void)
{
    jst_block *b = jst_enter();
    if (!b || !jst_mpi_runs())
        return;
    jst_papi_finish(b);
    jst_segments_end(b);
    jst_a.head.mpi_finalize_ns = jst_clock_ns(CLOCK_REALTIME);
    atomic_store(&jst_a.head.mpi_state, JST_MPI_STATE_FINISHING);
}

void jst_mpi_finalised(void)
{
    jst_a.head.mpi_end_ns = jst_clock_ns(CLOCK_REALTIME);
    atomic_store(&jst_a.head.mpi_state, JST_MPI_STATE_FINALISED);
}
