/* test_nccl.c: tests how calls of NCCL are counted, and when their operations ended, with a
 * simulated library and GPU. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/ccl/communicator.c"
#include "../src/ccl/nccl.c"

/* ---- the runtime around them, as far as it is needed ---- */

jst_config jst_cfg = {.peers = true};
jst_wipe_page jst_wipe = {.mask = ~(uintptr_t)0};
__thread jst_block *jst_tls_block;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
jst_block *jst_segment_owner;
jst_site jst_sites[JST_SITES];

static jst_block blocks[8];
static const void *world;
static _Atomic uint64_t counted, counted_bytes, completed, completed_ns, boundaries;
static _Atomic uint64_t left;
static uint64_t sent_to, sent_bytes, received_from;
static char note[200];

void jst_note(int fd, uint64_t now_ns, const char *text)
{
    (void)fd, (void)now_ns;
    snprintf(note, sizeof note, "%s", text);
}

jst_block *jst_enter_slow(void)
{
    return NULL;
}

_Atomic uint32_t jst_in_sandbox;

bool jst_mpi_runs(void)
{
    return world != NULL;
}

bool jst_ccl_joins(const jst_ccl_group *group)
{
    return group->key == world;
}

void jst_ccl_leaves(const jst_ccl_group *group)
{
    (void)group;
    left++;
}

void jst_mpi_count(const jst_mpi_call *c, unsigned klass, uint64_t bytes, uint32_t peer)
{
    (void)c, (void)klass, (void)peer;
    counted++;
    counted_bytes += bytes;
}

void jst_mpi_completed(const jst_mpi_call *c, uint64_t now, uint64_t ticks)
{
    (void)c, (void)now;
    completed++;
    completed_ns += ticks;
}

jst_site *jst_site_search(uint64_t key, uintptr_t address, const char *func, unsigned klass,
                          uint64_t bytes)
{
    (void)key, (void)address, (void)func, (void)klass, (void)bytes;
    return &jst_sites[0];
}

void jst_segment_global(jst_block *b, const jst_mpi_call *c, jst_site *s, uint64_t bytes,
                        uint64_t now)
{
    (void)b, (void)c, (void)s, (void)bytes, (void)now;
    boundaries++;
}

void jst_peer_sent(uint32_t rank, uint64_t bytes)
{
    sent_to = rank;
    sent_bytes += bytes;
}

void jst_peer_received(uint32_t rank, uint64_t bytes, bool is_room)
{
    (void)bytes, (void)is_room;
    received_from = rank;
}

/* ---- a GPU: events have the time of their record, and have ended when `until` is later ---- */

static _Atomic uint64_t gpu_now, until;
static _Atomic unsigned made, records;
static bool refuses, captures;
static struct event {
    _Atomic uint64_t at;
} event_pool[1 << 14];

static int event_create(void **event, unsigned flags)
{
    (void)flags;
    *event = &event_pool[made++];
    return refuses;
}

static int event_record(void *event, void *stream)
{
    (void)stream;
    records++;
    ((struct event *)event)->at = gpu_now += 1000;
    return 0;
}

static int event_query(void *event)
{
    return ((struct event *)event)->at <= until ? 0 : JST_GPU_NOT_READY;
}

static int event_elapsed(float *ms, void *from, void *to)
{
    *ms = (float)(((struct event *)to)->at - ((struct event *)from)->at) / 1e6f;
    return 0;
}

static int stream_is_capturing(void *stream, int *status)
{
    (void)stream;
    *status = captures;
    return 0;
}

const jst_gpu_events *jst_gpu_events_of_driver(void)
{
    static const jst_gpu_events all = {event_create, event_record, event_query, event_elapsed,
                                       stream_is_capturing};
    return &all;
}

/* ---- a library ---- */

typedef struct comm {
    int rank, size;
} comm;
static _Atomic unsigned calls;
static int result;

static int comm_count(const comm *c, int *n)
{
    return *n = c->size, 0;
}

static int comm_rank(const comm *c, int *n)
{
    return *n = c->rank, 0;
}

static int version_of(int *n)
{
    return *n = 2708, 0;
}

static int any_call(void)
{
    calls++;
    return result;
}

void *jst_ccl_real(const char *symbol, const void *caller, bool (*ours)(const void *))
{
    (void)caller;
    assert_true(ours((void *)ncclAllReduce) && ours((void *)ncclGroupEnd) && !ours(&calls));
    return strcmp(symbol, "ncclCommCount") == 0      ? (void *)comm_count
           : strcmp(symbol, "ncclCommUserRank") == 0 ? (void *)comm_rank
           : strcmp(symbol, "ncclGetVersion") == 0   ? (void *)version_of
                                                     : (void *)any_call;
}

static comm all = {1, 4}, pair = {0, 2};
static int stream, other_stream;

static int begin(void **state)
{
    (void)state;
    jst_nccl_child();
    jst_tls_block = &blocks[0];
    world = &all;
    counted = counted_bytes = completed = completed_ns = boundaries = 0;
    left = sent_to = sent_bytes = received_from = 0;
    made = records = calls = 0;
    until = UINT64_MAX;
    refuses = captures = false;
    result = 0;
    depth = 0;
    note[0] = 0;
    return 0;
}

static int reduce_of(comm *c, int *s)
{
    return ncclAllReduce(NULL, NULL, 10, 7, 0, c, s);
}

static void look_at(const comm *c)
{
    look(known((uintptr_t)c));
}

/* ---- what is counted ---- */

static void bytes_by_datatype(void **state)
{
    (void)state;
    static const struct {
        int type;
        uint64_t bytes;
    } types[] = {{0, 1},  {3, 4},  {5, 8},  {6, 2},  {9, 2},
                 {11, 1}, {12, 0}, {99, 0}, {-1, 0}, {INT32_MIN, 0}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        counted_bytes = 0;
        assert_int_equal(ncclAllReduce(NULL, NULL, 3, types[i].type, 0, &all, &stream), 0);
        assert_int_equal(counted_bytes, 3 * types[i].bytes);
    }
    assert_int_equal(calls, sizeof types / sizeof *types);
    assert_int_equal(counted, calls);
    counted_bytes = 0;
    ncclReduceScatter(NULL, NULL, 3, 7, 0, &all, &stream);
    assert_int_equal(counted_bytes, 3 * 4 * 4); /* each rank gets three */
}

static void partners_are_of_the_world_only(void **state)
{
    (void)state;
    ncclSend(NULL, 3, 7, 2, &all, &stream);
    ncclSend(NULL, 3, 7, 1, &pair, &stream); /* its rank 1 may be any of the world */
    ncclRecv(NULL, 3, 7, 3, &all, &stream);
    assert_int_equal(sent_to, 2);
    assert_int_equal(sent_bytes, 12);
    assert_int_equal(received_from, 3);
    assert_int_equal(counted, 3);
}

static void what_the_library_returns(void **state)
{
    (void)state;
    result = 5;
    assert_int_equal(reduce_of(&all, &stream), 5);
    assert_int_equal(ncclGroupStart(), 5);
    assert_int_equal(ncclGroupEnd(), 5);
    assert_int_equal(ncclCommDestroy(&all), 5);
    assert_int_equal(ncclAllReduce(NULL, NULL, 1, 7, 0, NULL, &stream), 5);
}

static void versions(void **state)
{
    (void)state;
    char text[32];
    put_version(text, text + sizeof text, 2708);
    assert_string_equal(text, "NCCL 2.7.8");
    put_version(text, text + sizeof text, 22809);
    assert_string_equal(text, "NCCL 2.28.9");
}

/* ---- when operations ended ---- */

static void one_after_the_other(void **state)
{
    (void)state;
    until = 0;
    reduce_of(&all, &stream);
    reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, 0);
    until = UINT64_MAX;
    look_at(&all);
    assert_int_equal(completed, 2);
    assert_int_equal(boundaries, 2);
    assert_int_equal(records, 4);
    for (unsigned i = 0; i < 1000; i++)
        reduce_of(&all, &stream);
    assert_in_range(made, 4, 6); /* events are used again */
    look_at(&all);
    assert_int_equal(completed, 1002);
}

/* A group of calls has one pair of events for each stream, also if groups are nested. */
static void groups_and_groups_in_groups(void **state)
{
    (void)state;
    ncclGroupStart();
    reduce_of(&all, &stream);
    ncclGroupStart();
    reduce_of(&all, &stream);
    reduce_of(&all, &other_stream);
    ncclGroupEnd();
    look_at(&all);
    assert_int_equal(completed, 0);
    assert_int_equal(records, 2); /* begins */
    reduce_of(&pair, &stream);
    reduce_of(&all, &stream);
    ncclGroupEnd();
    assert_int_equal(records, 6);
    look_at(&all);
    look_at(&pair);
    assert_int_equal(completed, 5);
    assert_int_equal(boundaries, 4); /* the pair's is none */
    assert_int_equal(calls, 9);
    ncclGroupEnd(); /* one too many, which the library refuses */
    reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, 6);
}

/* More communicators in a group than there are places: the others are counted, and have no
 * times until the next operation. */
static void a_large_group(void **state)
{
    (void)state;
    comm many[TOGETHER + 3];
    ncclGroupStart();
    for (unsigned i = 0; i < TOGETHER + 3; i++) {
        many[i] = (comm){0, 2};
        reduce_of(&many[i], &stream);
    }
    ncclGroupEnd();
    for (unsigned i = 0; i < TOGETHER + 3; i++)
        look_at(&many[i]);
    assert_int_equal(counted, TOGETHER + 3);
    assert_int_equal(completed, TOGETHER);
    assert_int_equal(untimed, 3);
    reduce_of(&many[TOGETHER], &stream);
    look_at(&many[TOGETHER]);
    assert_int_equal(completed, TOGETHER + 1);
}

/* More communicators than the table has: their calls are counted nevertheless. */
static void a_full_table(void **state)
{
    (void)state;
    static comm many[COMMUNICATORS + 2];
    for (unsigned i = 0; i < COMMUNICATORS + 2; i++) {
        many[i] = (comm){1, 3};
        assert_int_equal(reduce_of(&many[i], &stream), 0);
    }
    assert_int_equal(calls, COMMUNICATORS + 2);
    assert_int_equal(counted, COMMUNICATORS + 2);
    assert_int_equal(counted_bytes, 40 * (COMMUNICATORS + 2));
    assert_int_equal(untimed, 2);
    ncclCommDestroy(&many[3]);
    assert_int_equal(left, 1);
    reduce_of(&many[COMMUNICATORS], &stream); /* gets the place */
    look_at(&many[COMMUNICATORS]);
    assert_int_equal(completed, 2); /* that of many[3], when it was destroyed */
}

/* A thread was killed while it held one, or holds it for long: no call waits for it. */
static void one_that_stays_held(void **state)
{
    (void)state;
    reduce_of(&all, &stream);
    known((uintptr_t)&all)->busy = 1;
    reduce_of(&all, &stream);
    assert_int_equal(counted, 2);
    ncclCommDestroy(&all);
    assert_null(known((uintptr_t)&all)); /* another may have its address */
    world = NULL;
    all = (comm){2, 3};
    ncclReduceScatter(NULL, NULL, 1, 7, 0, &all, &stream);
    assert_int_equal(counted_bytes, 40 + 40 + 3 * 4);
    all = (comm){1, 4};
    beginning = 1;
    reduce_of(&pair, &stream);
    assert_int_equal(counted, 4);
    assert_null(known((uintptr_t)&pair));
}

/* It is held for long when a call returns: its operation ends with the next one. */
static void one_that_is_held_when_a_call_returns(void **state)
{
    (void)state;
    ncclGroupStart();
    reduce_of(&all, &stream);
    known((uintptr_t)&all)->busy = 1;
    ncclGroupEnd();
    known((uintptr_t)&all)->busy = 0;
    look_at(&all);
    assert_int_equal(completed, 0);
    for (unsigned i = 0; i < 2 * PENDING; i++)
        reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, 1 + 2 * PENDING);
    assert_int_equal(untimed, 0);
}

/* A GPU that falls behind: what finds no place has no times, until operations have ended. */
static void too_many_pending(void **state)
{
    (void)state;
    until = 0;
    for (unsigned i = 0; i < PENDING + 5; i++)
        reduce_of(&all, &stream);
    until = UINT64_MAX;
    look_at(&all);
    assert_int_equal(counted, PENDING + 5);
    assert_int_equal(completed, PENDING);
    assert_int_equal(untimed, 5);
    reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, PENDING + 1);
    assert_int_equal(untimed, 5);
}

/* The same within one group of calls, such as an all-to-all of messages between many ranks. */
static void too_many_in_a_group(void **state)
{
    (void)state;
    ncclGroupStart();
    for (unsigned i = 0; i < PENDING + 5; i++)
        ncclSend(NULL, 3, 7, 2, &all, &stream);
    ncclGroupEnd();
    reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, PENDING + 1);
    assert_int_equal(untimed, 5);
}

static void notes_on_what_has_no_times(void **state)
{
    (void)state;
    static const struct {
        uint64_t so_far;
        bool ending;
        const char *noted;
    } steps[] = {{0, false, ""},   {3, false, "3 "}, {5, false, ""},
                 {6, false, "6 "}, {6, true, ""},    {7, true, "7 "}};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        note[0] = 0;
        untimed = steps[i].so_far;
        jst_nccl_note(-1, 1, steps[i].ending);
        assert_memory_equal(note, steps[i].noted, strlen(steps[i].noted));
        assert_int_equal(note[0] != 0, steps[i].noted[0] != 0);
    }
    assert_string_equal(note + strlen(note) - 6, "failed");
}

/* Its last operations may not have ended yet. */
static void an_end_before_its_operations(void **state)
{
    (void)state;
    until = 0;
    reduce_of(&all, &stream);
    reduce_of(&all, &stream);
    ncclCommDestroy(&all);
    assert_int_equal(completed, 0);
    assert_int_equal(untimed, 2);
}

static void without_events(void **state)
{
    (void)state;
    captures = true;
    reduce_of(&all, &stream);
    assert_int_equal(records, 0);
    captures = false;
    refuses = true;
    reduce_of(&all, &stream);
    reduce_of(&all, &stream);
    assert_int_equal(made, 1); /* it is not tried again */
    assert_int_equal(counted, 3);
    assert_int_equal(completed, 0);
    assert_int_equal(untimed, 2);
}

/* The driver's events are the parent's. */
static void a_child_forgets(void **state)
{
    (void)state;
    until = 0;
    ncclGroupStart();
    reduce_of(&all, &stream);
    jst_nccl_child();
    ncclGroupEnd();
    assert_int_equal(records, 1);
    until = UINT64_MAX;
    assert_null(known((uintptr_t)&all));
    reduce_of(&all, &stream);
    look_at(&all);
    assert_int_equal(completed, 1);
}

#define THREADS 4
#define ROUNDS 500

static void *in_a_thread(void *number)
{
    jst_tls_block = &blocks[(uintptr_t)number];
    for (unsigned i = 0; i < ROUNDS; i++) {
        comm own = {0, 2};
        reduce_of(&own, &stream);
        reduce_of(&all, &stream);
        ncclCommDestroy(&own);
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t running[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&running[i], NULL, in_a_thread, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(running[i], NULL), 0);
    look_at(&all);
    assert_int_equal(counted, 2 * THREADS * ROUNDS);
    assert_true(completed <= counted && completed >= THREADS * ROUNDS);
}

int main(void)
{
    jst_tick_source = JST_TICKS_CLOCK;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bytes_by_datatype, begin),
        cmocka_unit_test_setup(partners_are_of_the_world_only, begin),
        cmocka_unit_test_setup(what_the_library_returns, begin),
        cmocka_unit_test_setup(versions, begin),
        cmocka_unit_test_setup(one_after_the_other, begin),
        cmocka_unit_test_setup(groups_and_groups_in_groups, begin),
        cmocka_unit_test_setup(a_large_group, begin),
        cmocka_unit_test_setup(a_full_table, begin),
        cmocka_unit_test_setup(one_that_stays_held, begin),
        cmocka_unit_test_setup(one_that_is_held_when_a_call_returns, begin),
        cmocka_unit_test_setup(too_many_pending, begin),
        cmocka_unit_test_setup(too_many_in_a_group, begin),
        cmocka_unit_test_setup(notes_on_what_has_no_times, begin),
        cmocka_unit_test_setup(an_end_before_its_operations, begin),
        cmocka_unit_test_setup(without_events, begin),
        cmocka_unit_test_setup(a_child_forgets, begin),
        cmocka_unit_test_setup(threads, begin),
    };
    return cmocka_run_group_tests_name("nccl", tests, NULL, NULL);
}
