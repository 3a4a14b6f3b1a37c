/* requests.c: facts about requests: persistent ones (counted when started), non-blocking global
 * collectives (they end a segment where they are waited for) and receives (how much arrived, and
 * often from which rank, is known when they end).
 *
 * One open-addressed table under a spin lock that is never held over a call of the MPI. While nothing in
 * it is active, wait and test calls read one word. Otherwise the handles are copied, and looked up
 * when the call has ended some.
 *
 * RATIONALE: why not the status alone, which has source and size? Open MPI fills that of a send
 * like that of a receive, and neither MPI gives the communicator in which its source is a rank.
 *
 * Where several threads may be in the MPI at once (MPI_THREAD_MULTIPLE), a handle may be another
 * request's by the time the call has returned: then the entries are copied before the call, and
 * only an entry of the same start is removed after it. Elsewhere the program's own order separates
 * threads, and the lock is two plain stores: a locked instruction costs as much as everything else.
 */
#define _GNU_SOURCE
#include "adapter.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256u
#define LAST_CAPACITY (1u << 18) /* further requests are not remembered */

unsigned jst_outstanding, jst_known;
bool jst_many_threads = true;

static struct {
    _Alignas(64) jst_request first[FIRST_CAPACITY];
    jst_request *slots;
    unsigned capacity; /* a power of two */
    uint32_t order;
    bool locked;
} table = {.slots = table.first, .capacity = FIRST_CAPACITY};

static inline void lock(void)
{
    unsigned turns = 0;
    if (!__atomic_load_n(&jst_many_threads, __ATOMIC_RELAXED) &&
        JST_LIKELY(!__atomic_load_n(&table.locked, __ATOMIC_RELAXED))) {
        __atomic_store_n(&table.locked, true, __ATOMIC_RELAXED);
        return;
    }
    while (__atomic_exchange_n(&table.locked, true, __ATOMIC_ACQUIRE)) {
        if (++turns % 64 == 0) {
            sched_yield();
        }
    }
}

static inline void unlock(void)
{
    __atomic_store_n(&table.locked, false, __ATOMIC_RELEASE);
}

/* ---- the table; all of these under the lock ------------------------------------------------ */

static inline void change(unsigned *counter, int by)
{
    /* Read without the lock to check whether there is any entry. */
    __atomic_store_n(counter, *counter + (unsigned)by, __ATOMIC_RELAXED);
}

/** The entry of a request, or the free one where it would be. */
static inline jst_request *find(uintptr_t request)
{
    const uint64_t mixed = (uint64_t)request * 0x9e3779b97f4a7c15u;
    const unsigned mask = table.capacity - 1;
    unsigned at = (unsigned)(mixed >> 32) & mask;
    /* Never full, unless a program calls from several threads at once without permission; even then
     * the loop ends. */
    for (unsigned i = 0; i < mask && table.slots[at].request; i++) {
        if (table.slots[at].request == request) {
            break;
        }
        at = (at + 1) & mask;
    }
    return &table.slots[at];
}

/** An entry remains when its request has ended: the MPI soon reuses the handle. */
static inline bool is_live(const jst_request *entry)
{
    return entry->request && (entry->active || entry->persistent || entry->klass == JST_MPI_PROBE);
}

static inline void end(jst_request *entry)
{
    change(&jst_outstanding, -(int)entry->active);
    entry->active = false;
    entry->persistent = false;
    entry->kept = NULL;
    entry->klass = JST_MPI_CLASS_COUNT;
}

static unsigned count_live(void)
{
    unsigned live = 0;
    for (unsigned i = 0; i < table.capacity; i++) {
        live += is_live(&table.slots[i]);
    }
    return live;
}

static void rehash(jst_request *slots, unsigned capacity)
{
    jst_request *const old = table.slots;
    const unsigned count = table.capacity;
    unsigned live = 0;
    table.slots = slots;
    table.capacity = capacity;
    for (unsigned i = 0; i < count; i++) {
        if (is_live(&old[i])) {
            *find(old[i].request) = old[i];
            live++;
        }
    }
    __atomic_store_n(&jst_known, live, __ATOMIC_RELAXED);
    if (old != table.first) {
        free(old);
    }
}

/** Makes space for one more entry. Releases the lock while it allocates memory. */
static bool make_room(void)
{
    while (jst_known >= table.capacity / 2) {
        const unsigned before = table.capacity;
        const unsigned live = count_live();
        const unsigned capacity = live < before / 4 ? before : before * 2;
        if (capacity > LAST_CAPACITY) {
            return false;
        }
        unlock();
        jst_request *slots = aligned_alloc(64, capacity * sizeof(*slots));
        if (slots) {
            memset(slots, 0, capacity * sizeof(*slots));
        }
        lock();
        if (!slots) {
            return false;
        }
        if (table.capacity == before && jst_known >= before / 2) {
            rehash(slots, capacity);
        } else {
            free(slots); /* another thread was quicker */
        }
    }
    return true;
}

/** The entry for a request that begins, to be filled; in place of an older one of the same handle
 *  (whose end was not seen, or is being processed by another thread). NULL: too many. */
static inline jst_request *begin(uintptr_t request)
{
    jst_request *entry = find(request);
    if (JST_LIKELY(entry->request)) {
        jst_narrow_free(entry->kept);
        change(&jst_outstanding, -(int)entry->active);
    } else {
        if (jst_known >= table.capacity / 2) {
            if (!make_room()) {
                return NULL;
            }
            entry = find(request);
        }
        change(&jst_known, 1);
    }
    return entry;
}

static bool put(const jst_request *facts)
{
    jst_request *entry = begin(facts->request);
    if (entry) {
        *entry = *facts;
        entry->order = ++table.order;
        change(&jst_outstanding, facts->active);
    }
    return entry != NULL;
}

/* ---- what wrappers call -------------------------------------------------------------------- */

static bool any_known(void)
{
    return __atomic_load_n(&jst_known, __ATOMIC_RELAXED) != 0;
}

bool jst_remember(MPI_Request request, const jst_request *facts)
{
    jst_request entry = *facts;
    entry.request = (uintptr_t)request;
    entry.stamp = facts->ranks ? facts->ranks->stamp : 0;
    lock();
    const bool room = entry.request && put(&entry);
    unlock();
    return room;
}

bool jst_receive(MPI_Request request, uint64_t room, uint32_t peer, jst_roster *ranks)
{
    const uintptr_t handle = (uintptr_t)request;
    lock();
    jst_request *entry = handle ? begin(handle) : NULL;
    if (entry) {
        entry->request = handle;
        entry->func = NULL;
        entry->collective = NULL;
        entry->kept = NULL;
        entry->ranks = ranks;
        entry->bytes = room;
        entry->order = ++table.order;
        entry->peer = peer;
        entry->stamp = ranks ? ranks->stamp : 0;
        entry->klass = JST_MPI_IRECV;
        entry->flags = 0;
        entry->persistent = false;
        entry->active = true;
        change(&jst_outstanding, 1);
    }
    unlock();
    return entry != NULL;
}

/* In MPICH a message's handle is a request's; in no MPI is it one for which a program waits. */
void jst_matched(MPI_Message message, jst_roster *ranks)
{
    if (ranks) {
        jst_remember((MPI_Request)message,
                     &(const jst_request){.ranks = ranks, .klass = JST_MPI_PROBE});
    }
}

/** The ranks with which a request was made, if their communicator still exists. */
static jst_roster *ranks_of(const jst_request *request)
{
    jst_roster *ranks = request->ranks;
    return ranks && __atomic_load_n(&ranks->stamp, __ATOMIC_RELAXED) == request->stamp ? ranks
                                                                                       : NULL;
}

jst_roster *jst_matched_ranks(MPI_Message message)
{
    jst_roster *ranks = NULL;
    if (!any_known()) {
        return NULL;
    }
    lock();
    jst_request *entry = find((uintptr_t)message);
    if (entry->request && entry->klass == JST_MPI_PROBE) {
        ranks = ranks_of(entry);
        end(entry);
    }
    unlock();
    return ranks;
}

void jst_keep(MPI_Request request, void *kept, bool persistent)
{
    const jst_request entry = {.request = (uintptr_t)request,
                               .kept = kept,
                               .persistent = persistent,
                               .active = !persistent,
                               .klass = JST_MPI_CLASS_COUNT};
    lock();
    jst_request *known = any_known() ? find(entry.request) : NULL;
    if (known && is_live(known)) {
        known->kept = jst_join(known->kept, kept);
    } else {
        put(&entry);
    }
    unlock();
}

jst_messages *jst_messages_of(MPI_Comm comm, void **chain)
{
    const jst_neighbours *around = jst_neighbours_of(comm);
    const size_t count = around ? (size_t)around->in + around->out : 0;
    jst_messages *made = NULL;
    if (around) {
        made = jst_link(chain, sizeof(*made) + count * sizeof(made->each[0]));
    }
    if (made) {
        made->out = around->out;
        made->in = around->in;
        for (uint32_t i = 0; i < around->out; i++) {
            made->each[i].rank = around->ranks[around->in + i];
        }
        for (uint32_t i = 0; i < around->in; i++) {
            made->each[around->out + i].rank = around->ranks[i];
        }
    }
    return made;
}

static void tell_messages(const jst_messages *passed)
{
    for (uint32_t i = 0; i < passed->out; i++) {
        jst_pass_sent(passed->each[i].rank, passed->each[i].bytes);
    }
    for (uint32_t i = passed->out; i < passed->out + passed->in; i++) {
        jst_pass_received(passed->each[i].rank, passed->each[i].bytes);
    }
}

void jst_started(const jst_mpi_call *call, int count, const void *requests, bool fortran)
{
    if (!any_known()) {
        return;
    }
    for (int i = 0; i < count; i++) {
        const uintptr_t request = jst_handle_at(requests, i, fortran);
        jst_request started = {.request = 0};
        lock();
        jst_request *entry = find(request);
        if (entry->request && entry->persistent && entry->klass != JST_MPI_CLASS_COUNT) {
            if (((entry->flags & JST_MPI_GLOBAL) || entry->klass == JST_MPI_IRECV) &&
                !entry->active) {
                entry->active = true;
                entry->order = ++table.order;
                change(&jst_outstanding, 1);
            }
            started = *entry;
        }
        unlock();
        if (started.request && (started.flags & JST_PASSES)) {
            tell_messages(jst_first_of(started.kept));
        }
        if (started.request && started.collective) {
            const jst_roster *ranks = ranks_of(&started);
            jst_host.count(call, started.klass, started.bytes, JST_MPI_NO_PEER);
            if (ranks && ranks->members) {
                jst_host.collective(ranks->id, started.collective, started.peer, started.bytes);
            }
        } else if (started.request) {
            jst_host.count(call, started.klass, started.bytes, started.peer);
        }
    }
}

void jst_forget(MPI_Request request)
{
    void *kept = NULL;
    if (!any_known()) {
        return;
    }
    lock();
    jst_request *entry = find((uintptr_t)request);
    if (entry->request) {
        kept = entry->persistent ? entry->kept : NULL;
        end(entry);
    }
    unlock();
    jst_narrow_free(kept);
}

void *jst_take_all(jst_pending *pending, int count, const void *requests, void *statuses,
                   bool fortran)
{
    const bool copies = __atomic_load_n(&jst_many_threads, __ATOMIC_RELAXED);
    const unsigned n = count > 0 ? (unsigned)count : 0;
    const bool large = n > (copies ? JST_COPIES : JST_PENDING);
    char *memory = NULL;
    if (large) {
        memory = malloc(n * (sizeof(jst_request) + sizeof(uintptr_t) + sizeof(MPI_Status)));
    }
    if (n == 0 || (large && !memory)) {
        return statuses; /* ends are not seen */
    }
    pending->memory = memory;
    pending->requests = requests;
    pending->fortran = fortran;
    pending->copies = !copies ? NULL : large ? (jst_request *)memory : pending->few_copies;
    memory += large ? n * sizeof(jst_request) : 0;
    pending->handles = large ? (uintptr_t *)memory : pending->few;
    void *own = large ? memory + n * sizeof(uintptr_t) : (void *)pending->own;
    for (unsigned i = 0; i < n; i++) {
        pending->handles[i] = jst_handle_at(requests, (int)i, fortran);
    }
    if (copies) {
        lock();
        for (unsigned i = 0; i < n; i++) {
            pending->copies[i] = *find(pending->handles[i]);
        }
        unlock();
    }
    pending->count = n;
    void *seen = fortran ? jst_status_f(statuses, own) : jst_status(statuses, own);
    pending->statuses = seen;
    return seen ? seen : statuses;
}

/** Ends the entry of request i, which the call may have ended. False: there is none, or it did
 * not. */
static inline bool take_ended(const jst_pending *pending, unsigned i, jst_request *ended)
{
    const uintptr_t handle = pending->handles[i];
    if (!handle || !(pending->copies || any_known())) {
        return false;
    }
    lock();
    jst_request *entry = find(handle);
    const jst_request *known = pending->copies ? &pending->copies[i] : entry;
    if (!known->request || !known->active ||
        (!known->persistent &&
         jst_handle_at(pending->requests, (int)i, pending->fortran) == handle)) {
        unlock();
        return false;
    }
    const bool same =
        !pending->copies || (entry->request && entry->order == known->order && entry->active);
    *ended = *known;
    if (same && known->persistent) {
        entry->active = false;
        change(&jst_outstanding, -1);
    } else if (same) {
        end(entry);
    }
    unlock();
    if (same && !ended->persistent) {
        jst_narrow_free(ended->kept);
    }
    return true;
}

static void arrived(const jst_mpi_call *call, const jst_request *request, const void *status,
                    int result)
{
    jst_arrival arrival;
    uint32_t peer = request->peer;
    if (result != MPI_SUCCESS &&
        (result != MPI_ERR_IN_STATUS || !status || jst_status_error(status) != MPI_SUCCESS)) {
        return; /* it failed */
    }
    if (!status) {
        jst_host.arrived(call, peer, request->bytes, true);
    } else if (jst_status_read(status, &arrival)) {
        if (request->ranks) {
            peer = jst_world_rank(ranks_of(request), arrival.source);
        }
        jst_host.arrived(call, peer, arrival.known ? arrival.bytes : request->bytes,
                         !arrival.known);
    }
}

/** The index of the first position. MPICH 4.0's mpi_f08 counts from 0, its mpif.h from 1: counted
 *  from 1, the last of the positions counted from 0 cannot have ended. */
static int first_place(const jst_pending *pending, int done, const void *indices, int base)
{
    for (int i = 0; base > 0 && i < done; i++) {
        const uint64_t at = jst_at(indices, sizeof(int), (uint64_t)i);
        if (at >= pending->count ||
            jst_handle_at(pending->requests, (int)at, true) == pending->handles[at]) {
            return base;
        }
    }
    return done > 0 ? 0 : base;
}

void jst_settle(jst_mpi_call *call, jst_pending *pending, int result, int done, const void *indices,
                int base)
{
    uint32_t last = 0;
    const bool places = indices && (result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS);
    const bool all = done < 0 || !places;
    const unsigned n = all && (done || result != MPI_SUCCESS) ? pending->count
                       : done > 0                             ? (unsigned)done
                                                              : 0;
    base = all ? 0 : first_place(pending, done, indices, base);
    for (unsigned i = 0; i < n; i++) {
        const int64_t at = all ? (int64_t)i : (int64_t)jst_at(indices, sizeof(int), i) - base;
        jst_request ended;
        if (at < 0 || at >= (int64_t)pending->count || !take_ended(pending, (unsigned)at, &ended)) {
            continue;
        }
        if (ended.klass == JST_MPI_IRECV) {
            const char *statuses = indices && all ? NULL : pending->statuses;
            arrived(call, &ended, statuses ? statuses + i * sizeof(MPI_Status) : NULL, result);
        }
        if ((ended.flags & JST_MPI_GLOBAL) && (!last || (int32_t)(ended.order - last) > 0)) {
            last = ended.order ? ended.order : 1;
            call->flags =
                (uint8_t)((call->flags & ~JST_MPI_VARYING) | (ended.flags & JST_MPI_VARYING));
            call->ended_func = ended.func;
            call->ended_bytes = ended.bytes;
        }
    }
    free(pending->memory);
}
