/* test_gloo.c: tests reading options of gloo, with expected and other layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/ccl/gloo.c"

/* ---- the runtime around it, as far as it is needed ---- */

jst_wipe_page jst_wipe = {.mask = ~(uintptr_t)0};
__thread jst_block *jst_tls_block;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static jst_block block;
static bool is_world, enters;
static jst_ccl_group group;
static jst_mpi_call left;
static uint64_t begun, ended;
static unsigned leaves, calls, lookups;

/* Called for frames that may be left; no test leaves one. */
int jst_frame_left(void)
{
    return JST_UNWIND_CONTINUE;
}

jst_block *jst_enter_slow(void)
{
    return NULL;
}

_Atomic uint32_t jst_in_sandbox;

bool jst_ccl_joins(const jst_ccl_group *g)
{
    group = *g;
    return is_world;
}

void jst_ccl_begins(uint64_t number, const jst_mpi_call *call)
{
    (void)call;
    begun = number;
}

void jst_ccl_ends(uint64_t number, const jst_mpi_call *call)
{
    assert_int_equal(call->flags & JST_MPI_GLOBAL, call->klass != CCL_OUT ? JST_MPI_GLOBAL : 0);
    ended = number;
}

static bool enter(jst_mpi_call *c)
{
    c->block = &block;
    return enters;
}

jst_inject_enter_type *jst_inject_enter(void)
{
    return enter;
}

void jst_mpi_leave(const jst_mpi_call *c)
{
    assert_int_equal(c->flags, 0);
    left = *c;
    leaves++;
}

static void real_call(void *options)
{
    (void)options;
    calls++;
}

void *jst_ccl_real(const char *symbol, const void *caller, bool (*ours)(const void *))
{
    (void)symbol, (void)caller;
    assert_true(ours((void *)jst_gloo_allreduce) && !ours((void *)real_call));
    lookups++;
    return (void *)real_call;
}

/* ---- objects as gloo has them ---- */

static struct {
    uint64_t table, rank_and_size;
} old_context; /* of 2022; newer ones begin with the second word */
static uint64_t new_context[2];
static struct {
    uint64_t table;
    void *memory;
    uint64_t bytes;
} buffer;
static void *buffers[1];
static uint64_t options[20];

static uint64_t pair_of(uint64_t low, uint64_t high)
{
    return low | high << 32;
}

/* An all-reduce of 100 floats, the fifth operation, of rank 2 of 4. */
static int begin(void **state)
{
    static float memory[100];
    (void)state;
    jst_tls_block = &block;
    is_world = enters = true;
    memset(&group, 0, sizeof group);
    memset(&left, 0, sizeof left);
    begun = ended = UINT64_MAX;
    leaves = calls = 0;
    old_context.table = (uint64_t)(uintptr_t)&old_context;
    old_context.rank_and_size = pair_of(2, 4);
    new_context[0] = pair_of(2, 4);
    buffer.memory = memory;
    buffer.bytes = sizeof memory;
    buffers[0] = &buffer;
    memset(options, 0, sizeof options);
    options[0] = (uint64_t)(uintptr_t)new_context;
    options[7] = (uint64_t)(uintptr_t)buffers;
    options[10] = 100;
    options[11] = sizeof(float);
    options[16] = pair_of(5, 77);
    return 0;
}

/* Checks that it was called once, counted with so many bytes, and is the operation of this number,
 * or none. */
static void counts(uint64_t bytes, uint64_t number)
{
    assert_int_equal(calls, 1);
    assert_int_equal(leaves, 1);
    assert_int_equal(left.bytes, bytes);
    assert_int_equal(begun, number);
    assert_int_equal(ended, number);
}

static void both_contexts(void **state)
{
    jst_gloo_allreduce(options);
    counts(400, 5);
    assert_int_equal(group.rank, 2);
    assert_int_equal(group.size, 4);
    assert_string_equal(left.func, "gloo::allreduce");
    begin(state);
    options[0] = (uint64_t)(uintptr_t)&old_context;
    jst_gloo_allreduce(options);
    counts(400, 5);
    assert_int_equal(group.rank, 2);
    assert_ptr_equal(group.key, &old_context);
}

/* In others the buffer has the data of all ranks, or the tag is the upper half of a word. */
static void other_layouts(void **state)
{
    (void)state;
    memset(options + 1, 0, sizeof options - 8);
    options[3] = (uint64_t)(uintptr_t)&buffer;
    options[4] = sizeof(float);
    options[5] = 9; /* tag, word 10 of 4 bytes */
    jst_gloo_allgather(options);
    counts(100, 9);
    begin(NULL);
    memset(options + 1, 0, sizeof options - 8);
    options[3] = (uint64_t)(uintptr_t)&buffer;
    options[4] = 100;
    options[5] = sizeof(float);
    options[6] = pair_of(0, 11); /* word 13 */
    jst_gloo_broadcast(options);
    counts(400, 11);
}

/* Inconsistent options are counted without bytes, and are no boundary. */
static void what_does_not_fit(void **state)
{
    static const struct {
        unsigned word;
        uint64_t value;
    } changes[] = {
        {10, 99}, {11, 8}, {11, 0},          {11, 65},        {11, UINT64_MAX},
        {7, 0},   {7, 8},  {7, 0x7ffffff1u}, {7, UINT64_MAX}, {10, 0},
    };
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        begin(state);
        options[changes[i].word] = changes[i].value;
        jst_gloo_allreduce(options);
        counts(0, UINT64_MAX);
        assert_int_equal(group.size, 4);
    }
    begin(state);
    buffer.bytes = UINT64_MAX;
    jst_gloo_allreduce(options);
    counts(0, UINT64_MAX);
}

static void contexts_that_are_none(void **state)
{
    static const uint64_t words[] = {0, 4, UINT64_MAX, (uint64_t)4 << 32 | 4, (uint64_t)1 << 63};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        begin(state);
        new_context[0] = new_context[1] = words[i];
        jst_gloo_allreduce(options);
        counts(0, UINT64_MAX);
        assert_int_equal(group.size, 0); /* no function was called */
    }
    begin(state);
    options[0] = 0;
    jst_gloo_allreduce(options);
    counts(0, UINT64_MAX);
    begin(state);
    jst_gloo_allreduce(NULL); /* gloo's own matter */
    counts(0, UINT64_MAX);
}

static void another_group_is_counted(void **state)
{
    (void)state;
    is_world = false;
    jst_gloo_allreduce(options);
    counts(400, UINT64_MAX);
}

static void inside_another_call(void **state)
{
    (void)state;
    enters = false;
    jst_gloo_allreduce(options);
    assert_int_equal(calls, 1);
    assert_int_equal(leaves, 0);
    assert_int_equal(begun, UINT64_MAX);
}

static void barrier_again(void)
{
    jst_gloo_barrier(options);
}

static void a_caller_is_looked_up_once(void **state)
{
    (void)state;
    options[3] = 1;
    lookups = 0;
    for (unsigned i = 0; i < 5; i++)
        barrier_again();
    assert_int_equal(lookups, 1);
    assert_int_equal(calls, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(both_contexts, begin),
        cmocka_unit_test_setup(other_layouts, begin),
        cmocka_unit_test_setup(what_does_not_fit, begin),
        cmocka_unit_test_setup(contexts_that_are_none, begin),
        cmocka_unit_test_setup(another_group_is_counted, begin),
        cmocka_unit_test_setup(inside_another_call, begin),
        cmocka_unit_test_setup(a_caller_is_looked_up_once, begin),
    };
    return cmocka_run_group_tests_name("gloo", tests, NULL, NULL);
}
