/* roster.c: translates the ranks of a communicator or a window to ranks in MPI_COMM_WORLD.
 *
 * One record per handle, made when it is first needed and released when the handle is freed: then
 * its memory is used for another one. So a wrapper may read a record that it has found without a
 * lock: it is that of its own communicator, which no thread may free meanwhile. In all, a million
 * ranks are kept; communicators beyond that have no known partners.
 *
 * RATIONALE: Open MPI 4 and 5 translate ranks by a search through the other group, so all ranks of
 * a communicator cost its size times the world's. The first of them are translated at once, which
 * gives the communicator its name; those of a larger one are translated one by one, and its
 * collectives are not recorded.
 */
#define _GNU_SOURCE
#include "adapter.h"

#include <sched.h>
#include <stdlib.h>

#define BUCKETS 256u
#define MOST_RANKS (1u << 20)   /* in all records */
#define MOST_STEPS (1ull << 26) /* of one search: 0.1 s */

jst_roster *jst_roster_cache[JST_ROSTER_CACHE];
jst_roster *jst_roster_world;

static struct {
    jst_roster *buckets[BUCKETS], *unused;
    uint32_t ranks; /* in all tables */
    bool locked;
} table;

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

static jst_roster **bucket_of(uintptr_t handle)
{
    return &table.buckets[(handle ^ handle >> 4 ^ handle >> 8 ^ handle >> 16) % BUCKETS];
}

/* ---- queries to the MPI ---------------------------------------------------------------------- */

static bool world_group(MPI_Group *group)
{
    return jst_world_size() > 0 && jst_world &&
           jst_pmpi.Comm_group(jst_world, group) == MPI_SUCCESS;
}

/** Translates ranks[first] and those after it, which are the numbers of ranks of group. */
static void translate(MPI_Group group, MPI_Group world, uint32_t first, uint32_t count,
                      uint32_t *ranks)
{
    enum { PART = 256 };
    int from[PART];
    int to[PART];
    for (uint32_t done = 0; done < count; done += PART) {
        const int n = (int)(count - done < PART ? count - done : PART);
        for (int i = 0; i < n; i++) {
            from[i] = (int)(first + done) + i;
            to[i] = -1;
        }
        jst_pmpi.Group_translate_ranks(group, n, from, world, to);
        for (int i = 0; i < n; i++) {
            ranks[done + (uint32_t)i] = to[i] < 0 ? JST_MPI_NO_PEER : (uint32_t)to[i];
        }
    }
}

static bool group_of(uintptr_t handle, bool window, bool inter, MPI_Group *group)
{
    if (window) {
        return jst_pmpi.Win_get_group((MPI_Win)handle, group) == MPI_SUCCESS;
    }
    return (inter ? jst_pmpi.Comm_remote_group : jst_pmpi.Comm_group)((MPI_Comm)handle, group) ==
           MPI_SUCCESS;
}

/** FNV-1a of the members' world ranks in their order; never 0, which is MPI_COMM_WORLD. */
static uint32_t name_of(const uint32_t *ranks, uint32_t size)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < size; i++) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (ranks[i] >> shift & 0xffu)) * 16777619u;
        }
    }
    return hash ? hash : 1;
}

/** Translates the ranks of group. False: they are all of the world, in its order. */
static bool learn(jst_roster *made, MPI_Group group, MPI_Group world)
{
    const uint32_t all = (uint32_t)jst_world_size();
    bool same = made->size == all;
    bool members = true;
    if (group == world) {
        return false;
    }
#ifdef OPEN_MPI
    if ((uint64_t)made->size * all > MOST_STEPS) {
        for (uint32_t i = 0; i < made->size; i++) {
            made->world[i] = JST_NOT_ASKED;
        }
        made->members = false;
        return true;
    }
#endif
    translate(group, world, 0, made->size, made->world);
    for (uint32_t i = 0; i < made->size; i++) {
        same = same && made->world[i] == i;
        members = members && made->world[i] != JST_MPI_NO_PEER;
    }
    made->members = made->members && members;
    made->id = same ? 0 : name_of(made->world, made->size);
    return !same;
}

/** Fills a record that is not in the table yet. */
static bool fill(jst_roster *made, uintptr_t handle, bool window)
{
    MPI_Group world;
    MPI_Group group;
    int inter = 0;
    int size = 0;
    if (!window) {
        inter = (jst_comm((MPI_Comm)handle) & JST_COMM_INTER) != 0;
    }
    if (!world_group(&world)) {
        return false;
    }
    if (!group_of(handle, window, inter, &group)) {
        jst_pmpi.Group_free(&world);
        return false;
    }
    jst_pmpi.Group_size(group, &size);
    made->size = size > 0 ? (uint32_t)size : 0;
    made->id = 0;
    made->passed = false;
    made->window = window;
    made->neighbours = NULL;
    made->members = !window && !inter && size > 1;
    made->world = NULL;
    const uint64_t kept = __atomic_load_n(&table.ranks, __ATOMIC_RELAXED);
    bool whole = size > 0 && kept + made->size <= MOST_RANKS;
    if (whole) {
        made->world = malloc(made->size * sizeof(*made->world));
        whole = made->world != NULL;
    }
    if (whole && !learn(made, group, world)) {
        free(made->world);
        made->world = NULL;
    }
    jst_pmpi.Group_free(&group);
    jst_pmpi.Group_free(&world);
    return whole;
}

/* ---- the records ----------------------------------------------------------------------------- */

static jst_roster *find(uintptr_t handle)
{
    jst_roster *at = *bucket_of(handle);
    while (at && at->handle != handle) {
        at = at->next;
    }
    return at;
}

static void show(jst_roster *ranks, uintptr_t handle)
{
    const unsigned place = (handle ^ handle >> 6 ^ handle >> 12) % JST_ROSTER_CACHE;
    __atomic_store_n(&jst_roster_cache[place], ranks, __ATOMIC_RELEASE);
    if (jst_world && handle == jst_key((uintptr_t)jst_world)) {
        __atomic_store_n(&jst_roster_world, ranks, __ATOMIC_RELEASE);
    }
}

/** A record to fill, owned by the caller until it is in the table. */
static jst_roster *unused(void)
{
    lock();
    jst_roster *made = table.unused;
    if (made) {
        table.unused = made->next;
    }
    unlock();
    return made ? made : calloc(1, sizeof(*made));
}

/** Puts a record into the table; another thread may have been quicker with the same handle. */
static jst_roster *put(jst_roster *made, uintptr_t handle)
{
    lock();
    jst_roster *known = find(handle);
    if (known) {
        free(made->world);
        made->next = table.unused;
        table.unused = made;
    } else {
        known = made;
        __atomic_fetch_add(&table.ranks, made->world ? made->size : 0, __ATOMIC_RELAXED);
        made->next = *bucket_of(handle);
        *bucket_of(handle) = made;
        __atomic_store_n(&made->handle, handle, __ATOMIC_RELEASE);
    }
    show(known, handle);
    unlock();
    return known;
}

static jst_roster *slow(uintptr_t handle, bool window)
{
    lock();
    jst_roster *known = find(handle);
    if (known) {
        show(known, handle);
    }
    unlock();
    if (known || jst_world_size() <= 0 || !jst_world || !handle) {
        return known;
    }
    jst_roster *made = unused();
    if (!made) {
        return NULL;
    }
    if (!fill(made, handle, window)) {
        lock();
        made->next = table.unused;
        table.unused = made;
        unlock();
        return NULL;
    }
    return put(made, handle);
}

jst_roster *jst_roster_slow(MPI_Comm comm)
{
    return slow(jst_key((uintptr_t)comm), false);
}

jst_roster *jst_roster_of_window_slow(MPI_Win win)
{
    return slow(jst_key((uintptr_t)win), true);
}

void jst_roster_drop(uintptr_t handle)
{
    lock();
    jst_roster **at = bucket_of(handle);
    while (*at && (*at)->handle != handle) {
        at = &(*at)->next;
    }
    jst_roster *gone = *at;
    if (gone) {
        if (gone == jst_roster_world) { /* no correct program frees it */
            __atomic_store_n(&jst_roster_world, NULL, __ATOMIC_RELEASE);
        }
        *at = gone->next;
        __atomic_store_n(&gone->handle, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&gone->stamp, gone->stamp + 1, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&table.ranks, gone->world ? gone->size : 0, __ATOMIC_RELAXED);
        free(gone->world);
        free(gone->neighbours);
        gone->world = NULL;
        gone->neighbours = NULL;
        gone->next = table.unused;
        table.unused = gone;
    }
    unlock();
}

uint32_t jst_ask_world(const jst_roster *ranks, uint32_t rank)
{
    MPI_Group world;
    MPI_Group group;
    uint32_t result = JST_MPI_NO_PEER;
    const bool inter = jst_comm((MPI_Comm)ranks->handle) & JST_COMM_INTER;
    if (!world_group(&world)) {
        return result;
    }
    if (group_of(ranks->handle, ranks->window, inter, &group)) {
        translate(group, world, rank, 1, &result);
        __atomic_store_n(&ranks->world[rank], result, __ATOMIC_RELAXED);
        jst_pmpi.Group_free(&group);
    }
    jst_pmpi.Group_free(&world);
    return result;
}

void jst_pass_communicator(jst_roster *ranks)
{
    if (!__atomic_exchange_n(&ranks->passed, true, __ATOMIC_RELAXED) && ranks->world) {
        jst_host.communicator(ranks->id, ranks->world, ranks->size);
    }
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/** Translates n ranks of comm, which the MPI gave, to world ranks. */
static void to_world(const jst_roster *ranks, const int *named, uint32_t n, uint32_t *world)
{
    for (uint32_t i = 0; i < n; i++) {
        world[i] = jst_world_rank(ranks, named[i]);
    }
}

static bool ask_neighbours(MPI_Comm comm, const jst_roster *ranks, jst_neighbours *made, int *named)
{
    int kind = MPI_UNDEFINED;
    int *const out = named + made->in;
    const int n = (int)made->in;
    bool good = false;
    jst_pmpi.Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        good = true;
        for (int i = 0; good && i < n / 2; i++) {
            good = jst_pmpi.Cart_shift(comm, i, 1, &named[2 * i], &named[2 * i + 1]) == MPI_SUCCESS;
            out[2 * i] = named[2 * i];
            out[2 * i + 1] = named[2 * i + 1];
        }
    } else if (kind == MPI_GRAPH) {
        good = jst_pmpi.Graph_neighbors(comm, jst_rank(comm), n, named) == MPI_SUCCESS;
        for (int i = 0; i < n; i++) {
            out[i] = named[i];
        }
    } else if (kind == MPI_DIST_GRAPH) {
        int *const weights = out + made->out; /* required and not used */
        good = jst_pmpi.Dist_graph_neighbors(comm, n, named, weights, (int)made->out, out,
                                             weights + n) == MPI_SUCCESS;
    }
    if (good) {
        to_world(ranks, named, made->in, made->ranks);
        to_world(ranks, out, made->out, made->ranks + made->in);
    }
    return good;
}

const jst_neighbours *jst_neighbours_of(MPI_Comm comm)
{
    jst_roster *ranks = jst_roster_of(comm);
    if (!ranks) {
        return NULL;
    }
    jst_neighbours *known = __atomic_load_n(&ranks->neighbours, __ATOMIC_ACQUIRE);
    if (known) {
        return known;
    }
    const uint32_t in = (uint32_t)jst_in(comm);
    const uint32_t out = (uint32_t)jst_out(comm);
    jst_neighbours *made = malloc(sizeof(*made) + (in + out) * sizeof(uint32_t));
    int *named = malloc((2u * (in + out) + 1) * sizeof(int));
    if (made && named) {
        made->in = in;
        made->out = out;
        if (ask_neighbours(comm, ranks, made, named) &&
            __atomic_compare_exchange_n(&ranks->neighbours, &known, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            known = made;
            made = NULL;
        }
    }
    free(made);
    free(named);
    return known;
}
