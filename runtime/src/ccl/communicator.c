/* communicator.c: finds when operations on GPUs ended.
 *
 * A collective is enqueued into a stream and its call returns. An event before it and one after it
 * give the times at which the GPU reached them. They are queried when the next operations are
 * enqueued, so there is no waiting and no thread is needed. Operations of a communicator end in the
 * order of enqueueing.
 *
 * Events have times on the GPU's own clock. Bounds by the host's clock: the GPU reaches an event
 * after it was enqueued, and before a query finds it reached. Where a stream is idle, the first
 * bound is nearly exact, so the greatest observed difference of the two clocks is taken, slowly
 * decreasing, since clocks drift.
 *
 * Operations that belong together (ncclGroupStart) have one pair of events; those that are recorded into a
 * graph have none, and are no boundaries: they are not run now.
 *
 * An operation that finds no place has no times, and the next one may have them again. The heartbeat notes how
 * many there were.
 */
#include "communicator.h"
#include "block.h"
#include "clock.h"
#include "gpu_events.h"
#include "mpi/mpi_account.h"
#include "mpi/mpi_call_kinds.h"
#include "mpi/segment.h"
#include "profile/profile_layout.h"
#include "profile/records/record.h"
#include "sys.h"
#include "text.h"

#define COMMUNICATORS 32u
#define PENDING 256u /* operations that were enqueued, and are not known to have ended */
#define TOGETHER 16u /* communicators in one group of calls */
#define DRIFT 5e-5   /* of two clocks, at most */
#define LOST 1u      /* no handle is this */

typedef struct pending {
    jst_mpi_call call;
    uint64_t enqueued; /* ticks */
    void *begin, *end; /* events; NULL: ended when the next one with events has */
    bool complete;     /* it has been enqueued */
} pending;

struct jst_communicator {
    _Atomic uintptr_t handle; /* 0: free */
    jst_ccl_group group;
    uint64_t first, next; /* numbers of pending operations */
    void *last;           /* the end of the operation that ended last: the clock's reference */
    double gpu_ns, offset_ns;
    uint64_t base; /* ticks from which the host's nanoseconds count here */
    _Atomic uint32_t busy;
    bool broken; /* events cannot be had: operations are only counted */
    bool clock_known;
    unsigned spares;
    void *spare[2 * PENDING];
    pending operations[PENDING];
};

JST_LARGE static jst_communicator communicators[COMMUNICATORS];
static const jst_gpu_events *events;
static _Atomic bool looked_for_events;
static _Atomic uint32_t beginning; /* a thread searches a free place */
static _Atomic uint64_t untimed;   /* operations, of all communicators */
static uint64_t noted;             /* of them, in the newest note */

/* What this thread has announced since its group of calls began. */
static __thread struct {
    jst_communicator *communicator[TOGETHER];
    uint64_t number[TOGETHER];
    void *stream[TOGETHER];
    unsigned count;
} announced;

static bool try_to_take(_Atomic uint32_t *busy)
{
    uint32_t no = 0;
    for (int i = 0; i < 200; i++, no = 0) {
        if (atomic_compare_exchange_strong(busy, &no, 1))
            return true;
        jst_sys0(SYS_sched_yield);
    }
    return false;
}

static bool try_hold(jst_communicator *c)
{
    return try_to_take(&c->busy);
}

static void let_go(jst_communicator *c)
{
    atomic_store_explicit(&c->busy, 0, memory_order_release);
}

void jst_nccl_child(void)
{
    for (unsigned i = 0; i < COMMUNICATORS; i++)
        if (atomic_load(&communicators[i].handle))
            jst_zero(&communicators[i], sizeof communicators[i]);
    atomic_store(&beginning, 0);
    atomic_store(&untimed, 0);
    noted = 0;
    announced.count = 0;
}

/* Notes are few: the first, then each that has twice as many, and the last. */
void jst_nccl_note(int fd, uint64_t now_ns, bool ending)
{
    static char text[160];
    const char *end = text + sizeof text;
    uint64_t n = atomic_load(&untimed);
    if (n == noted || (!ending && n < 2 * noted))
        return;
    noted = n;
    char *p = jst_put_number(text, end, n);
    jst_put_text(p, end,
                 " operations of NCCL or RCCL have no times: too many were pending, their "
                 "communicator ended first, or events failed");
    jst_note(fd, now_ns, text);
}

static const jst_gpu_events *driver(void)
{
    if (!atomic_load_explicit(&looked_for_events, memory_order_acquire)) {
        events = jst_gpu_events_of_driver();
        atomic_store_explicit(&looked_for_events, true, memory_order_release);
    }
    return events;
}

static jst_communicator *known(uintptr_t key)
{
    for (unsigned i = 0; i < COMMUNICATORS; i++)
        if (atomic_load_explicit(&communicators[i].handle, memory_order_acquire) == key)
            return &communicators[i];
    return NULL;
}

jst_communicator *jst_communicator_of(const void *handle,
                                      bool (*ask)(const void *handle, jst_ccl_group *group),
                                      jst_ccl_group *group)
{
    uintptr_t key = (uintptr_t)handle;
    jst_communicator *c = key ? known(key) : NULL;
    *group = c ? c->group : (jst_ccl_group){0};
    if (c || !key || !ask(handle, group) || !try_to_take(&beginning))
        return c;
    c = known(key);
    if (!c && (c = known(0))) {
        c->group = *group;
        c->broken = !driver();
        c->base = jst_ticks();
        atomic_store_explicit(&c->handle, key, memory_order_release);
    }
    atomic_store(&beginning, 0);
    return c;
}

/* ---- events ---- */

/* Nothing is queried any more: pending operations will have no times either. */
static void give_up(jst_communicator *c)
{
    c->broken = true;
    atomic_fetch_add(&untimed, c->next - c->first);
    c->first = c->next;
}

static void *take_event(jst_communicator *c, void *stream)
{
    void *event = NULL;
    if (c->spares)
        event = c->spare[--c->spares];
    else if (events->create(&event, 0) != 0)
        event = NULL;
    if (event && events->record(event, stream) == 0)
        return event;
    give_up(c);
    return NULL;
}

static void give_back(jst_communicator *c, void *event)
{
    if (event && c->spares < sizeof c->spare / sizeof *c->spare)
        c->spare[c->spares++] = event;
}

static double host_ns(const jst_communicator *c, uint64_t ticks)
{
    return ticks > c->base ? (double)jst_ticks_to_ns(ticks - c->base) : 0;
}

static uint64_t host_ticks(const jst_communicator *c, double ns)
{
    return c->base + (ns > 0 ? jst_ns_to_ticks((uint64_t)ns) : 0);
}

/* Where an operation began and ended on the host's clock (ns since base). False: events fail. */
static bool times_of(jst_communicator *c, const pending *p, uint64_t now, double *begin,
                     double *end)
{
    float since = 0, took = 0;
    if (c->last && events->elapsed(&since, c->last, p->begin) != 0)
        return false;
    if (events->elapsed(&took, p->begin, p->end) != 0)
        return false;
    double gpu_begin = c->gpu_ns + (double)since * 1e6, gpu_end = gpu_begin + (double)took * 1e6;
    double least = host_ns(c, p->enqueued) - gpu_begin, most = host_ns(c, now) - gpu_end;
    double offset = c->clock_known ? c->offset_ns - DRIFT * (gpu_end - c->gpu_ns) : least;
    offset = offset > least ? offset : least;
    offset = offset < most ? offset : most;
    c->offset_ns = offset;
    c->clock_known = true;
    c->gpu_ns = gpu_end;
    *begin = gpu_begin + offset;
    *end = gpu_end + offset;
    return true;
}

/* ---- ended operations ---- */

static void is_over(jst_communicator *c, pending *p, double begin, double end)
{
    jst_block *b = jst_enter();
    uint64_t now = host_ticks(c, end), began = host_ticks(c, begin);
    if (!b)
        return;
    p->call.block = b;
    if (jst_ccl_joins(&c->group))
        JST_STORE(jst_segment_owner, b);
    bool ends = (p->call.flags & JST_MPI_GLOBAL) && jst_mpi_runs() && jst_ccl_joins(&c->group);
    p->call.flags = 0; /* once: here, after it was added to the segment */
    jst_mpi_completed(&p->call, now, now > began ? now - began : 0);
    if (ends)
        jst_segment_global(b, &p->call, jst_site_of(&p->call, p->call.func, p->call.bytes),
                           p->call.bytes, now);
}

static pending *at(jst_communicator *c, uint64_t number)
{
    return &c->operations[number % PENDING];
}

/* All up to this one, which has events and has ended. */
static bool finish_until(jst_communicator *c, uint64_t number, uint64_t now)
{
    pending *p = at(c, number);
    double begin, end;
    if (!times_of(c, p, now, &begin, &end))
        return false;
    for (; c->first < number; c->first++) {
        is_over(c, at(c, c->first), end, end);
        give_back(c, at(c, c->first)->begin);
    }
    is_over(c, p, begin, end);
    give_back(c, p->begin);
    give_back(c, c->last);
    c->last = p->end;
    c->first++;
    return true;
}

static void look(jst_communicator *c)
{
    while (!c->broken) {
        uint64_t number = c->first;
        while (number < c->next && JST_LOAD(at(c, number)->complete) && !at(c, number)->end)
            number++;
        if (number == c->next || !JST_LOAD(at(c, number)->complete))
            return;
        int error = events->query(at(c, number)->end);
        if (error == JST_GPU_NOT_READY)
            return;
        if (error != 0 || !finish_until(c, number, jst_ticks()))
            give_up(c);
    }
}

void jst_communicator_ends(const void *handle)
{
    for (unsigned i = 0; i < COMMUNICATORS; i++) {
        jst_communicator *c = &communicators[i];
        if (!handle || atomic_load(&c->handle) != (uintptr_t)handle)
            continue;
        if (!try_hold(c)) { /* its place is lost; its address may soon be another one's */
            atomic_store(&c->handle, LOST);
            continue;
        }
        look(c); /* its events stay: they are few, and the context may be gone */
        atomic_fetch_add(&untimed, c->next - c->first);
        jst_ccl_leaves(&c->group);
        jst_zero((char *)c + sizeof c->handle, sizeof *c - sizeof c->handle);
        atomic_store(&c->handle, 0);
    }
}

/* ---- enqueueing ---- */

static bool is_run_now(void *stream)
{
    int status = 0;
    return events->is_capturing(stream, &status) == 0 && status == 0;
}

/* An operation of the same communicator and group: the pair of events moves on to the newest one. */
static void *begin_of_group(const jst_communicator *c, void *stream)
{
    for (unsigned i = 0; i < announced.count; i++)
        if (announced.communicator[i] == c && announced.stream[i] == stream) {
            pending *p = at(announced.communicator[i], announced.number[i]);
            void *begin = p->begin;
            p->begin = NULL;
            announced.communicator[i] = NULL;
            p->complete = true;
            return begin;
        }
    return NULL;
}

/* False: it has no place, or no event. */
static bool announce(jst_communicator *c, const jst_mpi_call *call, void *stream)
{
    unsigned i = 0;
    if (c->next - c->first >= PENDING)
        return false;
    pending *p = at(c, c->next);
    *p = (pending){.call = *call, .enqueued = jst_ticks()};
    p->begin = begin_of_group(c, stream);
    while (i < announced.count && announced.communicator[i])
        i++;
    if (i == TOGETHER || (!p->begin && !(p->begin = take_event(c, stream))))
        return false;
    announced.communicator[i] = c;
    announced.number[i] = c->next++;
    announced.stream[i] = stream;
    announced.count = i == announced.count ? i + 1 : announced.count;
    return true;
}

void jst_enqueueing(jst_communicator *c, const jst_mpi_call *call, void *stream)
{
    bool timed = false;
    if (events && !is_run_now(stream))
        return;
    if (c && !c->broken && try_hold(c)) {
        look(c);
        timed = !c->broken && announce(c, call, stream);
        let_go(c);
    }
    if (!timed)
        atomic_fetch_add(&untimed, 1);
}

void jst_enqueued(void)
{
    for (unsigned i = 0; i < announced.count; i++) {
        jst_communicator *c = announced.communicator[i];
        if (!c)
            continue;
        pending *p = at(c, announced.number[i]);
        bool held = try_hold(c);
        if (held && !c->broken)
            p->end = take_event(c, announced.stream[i]);
        JST_STORE(p->complete, true); /* also where it is held: no place is lost */
        if (held)
            let_go(c);
    }
    announced.count = 0;
}
