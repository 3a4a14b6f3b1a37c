/* ccl.c: the world of a training job, and where its collectives end segments.
 *
 * A rank is a process that takes part in a group of as many ranks as its launcher set, with the
 * number that the launcher gave it (RANK, WORLD_SIZE). Others have these variables too, but are no
 * ranks: a launcher's helpers, and the workers that load data. Where nothing was set
 * (torch.multiprocessing.spawn), the largest group in which the process takes part is the world.
 * Usually it is the first one; if a larger one comes later, size and rank are those of that from
 * then on.
 *
 * Several operations may run at once, in threads of the library's, and end in an order that differs from
 * rank to rank. They are enqueued in the same order on all ranks, or they would never end. So a boundary
 * is put where an operation and all that were enqueued before it have ended.
 *
 * A program may destroy the group of all, and make another one. NCCL reports that; of gloo it is seen that
 * numbers begin again, that another group has the place, or that only another group of all is used.
 */
#include <dlfcn.h>

#include "block.h"
#include "ccl.h"
#include "clock.h"
#include "config.h"
#include "core.h"
#include "mpi/mpi_account.h"
#include "mpi/mpi_call_kinds.h"
#include "mpi/segment.h"
#include "profile/area.h"
#include "profile/profile_layout.h"
#include "symbols/loaded_object.h"
#include "sys.h"
#include "text.h"

#define THREAD_MULTIPLE 3u
#define OPERATIONS 64u /* that have begun, and are no boundary yet */
/* A number counts as missing when so many later ones have ended: its operation is not seen here. */
#define PASSED 16u
#define FIRST 8u /* the first number seen, if it is not more than this: those before it come soon */
#define SILENT 32u /* operations of another group of all, and none of the world's: that is gone */

typedef struct operation {
    jst_mpi_call call;
    uint64_t number;
    bool used, over;
} operation;

JST_LARGE static struct {
    const void *group; /* that of the world */
    const void *other; /* another one of all ranks */
    unsigned others;   /* operations of it since the last one of the world's */
    bool on_gpus;
    bool is_rank; /* of a group that may be gone by now */
    bool never;   /* a child of a rank */
    bool decided; /* the environment has been read */
    bool given;   /* it has rank and size */
    uint32_t rank, size;
    uint64_t next; /* number of the operation that ends the next boundary */
    bool counting;
    unsigned over; /* operations in the table that have ended */
    uint64_t looked_ticks, looked_cpu, in_flight_ticks, in_flight_since;
    unsigned in_flight;
    operation operations[OPERATIONS];
} world;

static _Atomic uint32_t busy;

static bool hold(void)
{
    struct timespec moment = {0, 50000};
    for (int i = 0; i < 20000; i++) {
        uint32_t no = 0;
        if (atomic_compare_exchange_strong(&busy, &no, 1))
            return true;
        if (i < 1000)
            jst_sys0(SYS_sched_yield);
        else
            jst_sys2(SYS_nanosleep, &moment, NULL);
    }
    return false; /* a thread that was killed in here */
}

static void let_go(void)
{
    atomic_store_explicit(&busy, 0, memory_order_release);
}

void jst_ccl_child(void)
{
    bool of_rank = world.is_rank || world.never;
    jst_zero(&world, sizeof world);
    world.never = of_rank; /* each number has one rank */
    let_go();
}

/* RATIONALE: a process may have several libraries of one kind, each within another that uses it (PyTorch,
 * Horovod), of different versions. The caller uses the one with which it was linked: in itself, or
 * in what it needs. */
void *jst_ccl_real(const char *symbol, const void *caller, bool (*is_ours)(const void *))
{
    const char *const wanted[] = {symbol, NULL};
    Dl_info info;
    void *p = NULL, *object = NULL;
    if (dladdr(caller, &info) && info.dli_fname)
        object = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (object)
        p = dlsym(object, symbol); /* the handle is kept: the library stays */
    if ((!p || is_ours(p)) && (object = jst_object_with(wanted, is_ours)))
        p = dlsym(object, symbol);
    return is_ours(p) ? NULL : p;
}

/* ---- the world ---- */

static bool number_of(const char *name, uint32_t *to)
{
    const char *text = jst_env(name);
    uint64_t n = 0;
    if (!text || !*text)
        return false;
    for (; *text >= '0' && *text <= '9' && n < 100000000; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    *to = (uint32_t)n;
    return !*text;
}

static void name_library(const jst_ccl_group *group)
{
    char *end = jst_a.head.mpi_library + sizeof jst_a.head.mpi_library;
    jst_put_text(jst_a.head.mpi_library, end, group->library);
}

static void become_rank(const jst_ccl_group *group)
{
    char *end = jst_a.head.mpi_adapter_name + sizeof jst_a.head.mpi_adapter_name;
    world.on_gpus = group->on_gpus;
    world.is_rank = true;
    jst_segments_of_process = true;
    jst_mpi_initialising();
    jst_mpi_initialised(group->size, group->rank, THREAD_MULTIPLE, 0, false);
    name_library(group);
    jst_put_text(jst_a.head.mpi_adapter_name, end, "ccl");
    jst_a.head.mpi_adapter = JST_ADAPTER_LOADED;
    JST_STORE(world.group, group->key); /* last: other threads may begin operations from here on */
}

static void begin_numbers(void)
{
    world.counting = false;
    world.over = world.in_flight = 0;
    jst_zero(world.operations, sizeof world.operations);
}

/* PyTorch makes two groups of all ranks, one for each kind of memory. Programs on GPUs use that of
 * the CPU for small operations only: from the first use of the other on, boundaries are there. A
 * program may also destroy the group of all, and make another one. */
static void change_group(const jst_ccl_group *group)
{
    world.group = group->key;
    world.on_gpus = group->on_gpus;
    world.others = 0;
    begin_numbers();
    name_library(group);
}

static void look_at_environment(void)
{
    world.decided = true;
    world.given = number_of("RANK", &world.rank) && number_of("WORLD_SIZE", &world.size);
    if (!world.given)
        world.size = 0;
}

static bool is_larger(const jst_ccl_group *group)
{
    return !world.given && group->size > world.size;
}

/* The world was not set, and it is larger than assumed. */
static void grow(const jst_ccl_group *group)
{
    world.size = group->size;
    world.rank = group->rank;
    if (world.is_rank)
        jst_mpi_world(group->size, group->rank);
}

static void choose(const jst_ccl_group *group)
{
    bool may = world.is_rank ||
               (atomic_load(&jst_a.head.mpi_state) == 0 && atomic_load(&jst_state) != JST_OFF);
    bool larger = may && is_larger(group);
    if (larger)
        grow(group);
    if (!may || world.size != group->size || world.rank != group->rank)
        return;
    if (!world.is_rank)
        become_rank(group);
    else if (larger || !world.group || (!world.on_gpus && group->on_gpus))
        change_group(group);
}

/* Without the lock first: most groups are none. */
static bool may_be_world(const jst_ccl_group *group)
{
    return !JST_LOAD(world.group) || is_larger(group) || (!world.on_gpus && group->on_gpus);
}

static bool is_of_all(const jst_ccl_group *group)
{
    return group->size == world.size && group->rank == world.rank;
}

/* Groups of GPUs report their end. */
static bool may_follow(const jst_ccl_group *group)
{
    return !world.on_gpus && !group->on_gpus && is_of_all(group);
}

static void follow(const jst_ccl_group *group)
{
    if (world.other != group->key)
        world.others = 0;
    world.other = group->key;
    if (++world.others == SILENT)
        change_group(group);
}

/* A group at the place of the world's. */
static bool is_the_same(const jst_ccl_group *group)
{
    bool same = is_of_all(group);
    if (same && JST_LOAD(world.others))
        JST_STORE(world.others, 0);
    if (!same && hold()) {
        if (world.group == group->key)
            JST_STORE(world.group, NULL);
        let_go();
    }
    return same;
}

bool jst_ccl_joins(const jst_ccl_group *group)
{
    if (group->key == JST_LOAD(world.group))
        return is_the_same(group);
    if (world.never || group->size < 2 || !(may_be_world(group) || may_follow(group)) || !hold())
        return false;
    if (!world.decided)
        look_at_environment();
    if (may_be_world(group))
        choose(group);
    else if (world.group != group->key && may_follow(group))
        follow(group);
    bool is_world = world.group == group->key;
    let_go();
    return is_world;
}

void jst_ccl_leaves(const jst_ccl_group *group)
{
    if (group->key != JST_LOAD(world.group) || !group->on_gpus || !hold())
        return;
    JST_STORE(world.group, NULL);
    world.on_gpus = false;
    let_go();
}

/* ---- time off the CPU ---- */

/* As between calls of MPI, but for all threads: wall time since the last check, less the CPU time
 * of the process, less the time in which an operation was in progress. So this is a lower bound of
 * the time in which the process did nothing and did not communicate. */
static void note_off_cpu(jst_block *b, uint64_t now)
{
    uint64_t began = world.looked_ticks, cpu = jst_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t used = jst_ns_to_ticks(cpu - world.looked_cpu) + world.in_flight_ticks;
    world.looked_ticks = now;
    world.looked_cpu = cpu;
    world.in_flight_ticks = 0;
    if (began && now > began)
        jst_mpi_off_cpu(b, began, now, used);
}

static void takes_off(jst_block *b, uint64_t now)
{
    if (world.in_flight++)
        return;
    note_off_cpu(b, now);
    world.in_flight_since = now;
}

static void lands(uint64_t now)
{
    if (world.in_flight && --world.in_flight == 0 && now > world.in_flight_since)
        world.in_flight_ticks += now - world.in_flight_since;
}

/* ---- boundaries ---- */

static void drop(operation *o)
{
    world.over -= o->over;
    *o = (operation){0};
}

/* A thread runs one operation at a time: an unfinished earlier one has ended by an exception. */
static void forget_unended(const jst_block *b, uint64_t now)
{
    for (unsigned i = 0; i < OPERATIONS; i++)
        if (world.operations[i].used && !world.operations[i].over &&
            world.operations[i].call.block == b) {
            drop(&world.operations[i]);
            lands(now);
        }
}

static operation *place_of(uint64_t number, bool used)
{
    for (unsigned i = 0; i < OPERATIONS; i++) {
        operation *o = &world.operations[i];
        if (o->used == used && (!used || o->number == number))
            return o;
    }
    return NULL;
}

static operation *lowest(void)
{
    operation *best = NULL;
    for (unsigned i = 0; i < OPERATIONS; i++) {
        operation *o = &world.operations[i];
        if (o->used && (!best || o->number < best->number))
            best = o;
    }
    return best;
}

/* Numbers begin again: threads take operations in turn, so a low one comes late only while others are in
 * progress, and not after many. */
static bool is_of_a_new_group(uint64_t number)
{
    return world.counting && number <= FIRST && number < world.next &&
           (!lowest() || world.next > FIRST + OPERATIONS);
}

static void put_boundaries(uint64_t now)
{
    for (operation *o = lowest(); o && o->over; o = lowest()) {
        if (o->number != world.next && world.over < PASSED)
            return;
        const jst_mpi_call *c = &o->call;
        if (c->flags & JST_MPI_GLOBAL)
            jst_segment_global(c->block, c, jst_site_of(c, c->func, c->bytes), c->bytes, now);
        world.next = o->number + 1;
        drop(o);
    }
}

void jst_ccl_begins(uint64_t number, const jst_mpi_call *call)
{
    if (!call->block || !jst_mpi_runs() || !hold())
        return;
    uint64_t now = jst_ticks();
    JST_STORE(jst_segment_owner, call->block);
    forget_unended(call->block, now);
    if (is_of_a_new_group(number))
        begin_numbers();
    takes_off(call->block, now);
    if (!world.counting) {
        world.counting = true;
        world.next = number <= FIRST ? 0 : number;
    }
    operation *o = place_of(number, false);
    if (o && number >= world.next && !place_of(number, true))
        *o = (operation){.call = *call, .number = number, .used = true};
    let_go();
}

void jst_ccl_ends(uint64_t number, const jst_mpi_call *call)
{
    if (!call->block || !jst_mpi_runs() || !hold())
        return;
    uint64_t now = jst_ticks();
    lands(now);
    operation *o = place_of(number, true);
    if (o && o->call.block == call->block && !o->over) {
        o->call = *call;
        o->over = true;
        world.over++;
        put_boundaries(now);
    }
    let_go();
}
