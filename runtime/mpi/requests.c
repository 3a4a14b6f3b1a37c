/* requests.c: what is known of requests: persistent ones (counted when started) and non-blocking
 * global collectives (they end a segment where they are waited for).
 *
 * One open-addressed table under a spin lock that is never held over a call of the MPI. While it is
 * empty, wait and test calls read one word. An entry is taken out before the call that may complete
 * it and put back if that call did not: the MPI reuses handles at once.
 */
#define _GNU_SOURCE
#include "adapter.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256u
#define LAST_CAPACITY (1u << 20) /* further requests are not remembered */

unsigned jst_outstanding, jst_known;

static struct {
    jst_request first[FIRST_CAPACITY];
    jst_request *slots;
    unsigned capacity; /* a power of two */
    uint64_t order;
    bool locked;
} table = {.slots = table.first, .capacity = FIRST_CAPACITY};

static void lock(void)
{
    unsigned turns = 0;
    while (__atomic_exchange_n(&table.locked, true, __ATOMIC_ACQUIRE)) {
        if (++turns % 64 == 0) {
            sched_yield();
        }
    }
}

static void unlock(void)
{
    __atomic_store_n(&table.locked, false, __ATOMIC_RELEASE);
}

/* ---- the table; all of these under the lock ------------------------------------------------ */

static void change(unsigned *counter, int by)
{
    /* Read without the lock by those who look whether there is anything at all. */
    __atomic_store_n(counter, *counter + (unsigned)by, __ATOMIC_RELAXED);
}

static unsigned place_of(uintptr_t request)
{
    const uint64_t mixed = (uint64_t)request * 0x9e3779b97f4a7c15u;
    return (unsigned)(mixed >> 32) & (table.capacity - 1);
}

static jst_request *find(uintptr_t request)
{
    unsigned at = place_of(request);
    while (table.slots[at].request && table.slots[at].request != request) {
        at = (at + 1) & (table.capacity - 1);
    }
    return &table.slots[at];
}

/** Takes an entry out and closes the gap in its probe sequence. */
static void take_out(jst_request *entry)
{
    const unsigned mask = table.capacity - 1;
    unsigned hole = (unsigned)(entry - table.slots);
    change(&jst_known, -1);
    for (unsigned at = (hole + 1) & mask; table.slots[at].request; at = (at + 1) & mask) {
        const unsigned home = place_of(table.slots[at].request);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table.slots[hole] = table.slots[at];
            hole = at;
        }
    }
    table.slots[hole].request = 0;
}

static void rehash(jst_request *slots, unsigned capacity)
{
    jst_request *const old = table.slots;
    const unsigned count = table.capacity;
    table.slots = slots;
    table.capacity = capacity;
    for (unsigned i = 0; i < count; i++) {
        if (old[i].request) {
            *find(old[i].request) = old[i];
        }
    }
    if (old != table.first) {
        free(old);
    }
}

/** Makes room for one more entry. Leaves the lock while it asks for memory. */
static bool make_room(void)
{
    while (jst_known >= table.capacity / 2) {
        const unsigned capacity = table.capacity * 2;
        if (capacity > LAST_CAPACITY) {
            return false;
        }
        unlock();
        jst_request *slots = calloc(capacity, sizeof(*slots));
        lock();
        if (!slots) {
            return false;
        }
        if (table.capacity * 2 == capacity) {
            rehash(slots, capacity);
        } else {
            free(slots); /* another thread was quicker */
        }
    }
    return true;
}

/** Puts an entry in, in place of an older one of the same handle (whose end was not seen). */
static void put(const jst_request *facts)
{
    if (!make_room()) {
        return;
    }
    jst_request *entry = find(facts->request);
    if (entry->request) {
        jst_narrow_free(entry->kept);
        change(&jst_outstanding, -(int)entry->active);
    } else {
        change(&jst_known, 1);
    }
    *entry = *facts;
    change(&jst_outstanding, facts->active);
}

/* ---- what wrappers call -------------------------------------------------------------------- */

static uintptr_t handle_at(const void *requests, int i, bool fortran)
{
#ifndef JST_INTEGER_HANDLES
    if (fortran) {
        return (uintptr_t)jst_c_request(((const MPI_Fint *)requests)[i]);
    }
#endif
    (void)fortran; /* the same handles, where they are integers */
    return (uintptr_t)((const MPI_Request *)requests)[i];
}

static bool any_known(void)
{
    return __atomic_load_n(&jst_known, __ATOMIC_RELAXED) != 0;
}

void jst_remember(MPI_Request request, const jst_request *facts)
{
    jst_request entry = *facts;
    entry.request = (uintptr_t)request;
    lock();
    entry.order = ++table.order;
    put(&entry);
    unlock();
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
    if (known && known->request) {
        known->kept = kept;
    } else {
        put(&entry);
    }
    unlock();
}

void jst_started(const jst_mpi_call *call, int count, const void *requests, bool fortran)
{
    if (!any_known()) {
        return;
    }
    for (int i = 0; i < count; i++) {
        const uintptr_t request = handle_at(requests, i, fortran);
        jst_request started = {.request = 0};
        lock();
        jst_request *entry = find(request);
        if (entry->request && entry->persistent && entry->klass != JST_MPI_CLASS_COUNT) {
            if ((entry->flags & JST_MPI_GLOBAL) && !entry->active) {
                entry->active = true;
                entry->order = ++table.order;
                change(&jst_outstanding, 1);
            }
            started = *entry;
        }
        unlock();
        if (started.request) {
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
        change(&jst_outstanding, -(int)entry->active);
        take_out(entry);
    }
    unlock();
    jst_narrow_free(kept);
}

/** Takes one request's entry into pending, if there is one that waits for its end. */
static void take_one(jst_pending *pending, unsigned at, uintptr_t request)
{
    lock();
    jst_request *entry = find(request);
    if (entry->request && entry->active) {
        const unsigned place = pending->taken++ % JST_PENDING;
        pending->hits[place].at = at;
        pending->hits[place].request = *entry;
        pending->count += pending->count < JST_PENDING;
        change(&jst_outstanding, -1);
        if (entry->persistent) {
            entry->active = false;
        } else {
            take_out(entry);
        }
    }
    unlock();
}

void jst_take(jst_pending *pending, int count, const void *requests, bool fortran)
{
    pending->requests = requests;
    pending->fortran = fortran;
    pending->taken = 0;
    for (int i = 0; i < count; i++) {
        take_one(pending, (unsigned)i, handle_at(requests, i, fortran));
    }
}

static void put_back(const jst_request *request)
{
    lock();
    if (request->persistent) {
        jst_request *entry = find(request->request);
        if (entry->request && !entry->active) {
            entry->active = true;
            change(&jst_outstanding, 1);
        }
    } else {
        put(request);
    }
    unlock();
}

static bool is_done(const jst_pending *pending, unsigned hit, int done, const void *indices,
                    int base)
{
    const unsigned at = pending->hits[hit].at;
    const jst_request *request = &pending->hits[hit].request;
    if (!request->persistent) {
        /* Indices would do, but MPICH 4.0's mpi_f08 counts them from 0 and its mpif.h from 1. */
        return handle_at(pending->requests, (int)at, pending->fortran) != request->request;
    }
    if (done < 0) {
        return true;
    }
    for (int i = 0; i < done; i++) {
        if ((int64_t)jst_at(indices, sizeof(int), (uint64_t)i) - base == (int64_t)at) {
            return true;
        }
    }
    return false;
}

void jst_settle(jst_mpi_call *call, const jst_pending *pending, int done, const void *indices,
                int base)
{
    const jst_request *last = NULL;
    for (unsigned i = 0; i < pending->count; i++) {
        const jst_request *request = &pending->hits[i].request;
        if (!is_done(pending, i, done, indices, base)) {
            put_back(request);
            continue;
        }
        if (!request->persistent) {
            jst_narrow_free(request->kept);
        }
        if ((request->flags & JST_MPI_GLOBAL) && (!last || request->order > last->order)) {
            last = request;
        }
    }
    if (last) {
        call->flags |= last->flags & JST_MPI_VARYING;
        call->ended_func = last->func;
        call->ended_bytes = last->bytes;
    }
}
