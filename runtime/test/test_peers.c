/* test_peers.c: tests partners, collectives and communicators: records and header together give the
 * counts, whichever partner loses its place, whatever the disk refuses. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/mpi/peer_record.c"
#include "../src/mpi/peers.c"

#define FIRST UINT64_C(450000000)
#define RANKS 2000
#define OTHERS RANKS

/* The runtime around them, as far as it is needed. */
jst_area jst_a;
jst_config jst_cfg;
__thread jst_block *jst_tls_block;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static bool disk_full;
static uint64_t file_bytes, records, longest, notes;
static uint8_t last[8192];
static uint64_t read_sums[RANKS + 1][PEER_WORDS]; /* of records, by rank */
static uint64_t held[JST_PEERS][PEER_WORDS], held_ops[JST_COLLECTIVES];
static uint64_t owner_of[JST_PEERS];
static uint64_t spans[64], end_of_records;

void jst_heartbeat_drain(void) {}

void jst_note(int fd, uint64_t now, const char *text)
{
    (void)fd, (void)now, (void)text;
    notes++;
}

static uint64_t take(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    do
        value |= (uint64_t)(**p & 0x7f) << (shift++ * 7);
    while (*(*p)++ & 0x80);
    return value;
}

static void take_traffic(const uint8_t *p, const uint8_t *end)
{
    uint64_t begins = take(&p), span = take(&p), place = 0, gap;
    end_of_records += (begins >> 1 ^ (0 - (begins & 1))) + span;
    spans[span < 64 ? span : 63]++;
    for (; (gap = take(&p)) != 0; place++) {
        place += gap - 1;
        unsigned mask = *p++;
        if (mask & 1)
            owner_of[place] = take(&p);
        for (unsigned w = 0; w < PEER_WORDS; w++) {
            uint64_t n = mask >> (w + 1) & 1 ? take(&p) : 0;
            held[place][w] += n;
            read_sums[owner_of[place] ? owner_of[place] - 1 : OTHERS][w] += n;
        }
    }
    for (place = 0; (gap = take(&p)) != 0; place++) {
        place += gap - 1;
        unsigned mask = *p++;
        if (mask & 1) {
            take(&p), take(&p);
            uint64_t bytes = take(&p);
            p += bytes;
        }
        held_ops[place] += mask & 2 ? take(&p) : 0;
        if (mask & 4)
            take(&p);
    }
    assert_ptr_equal(p, end);
}

bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n)
{
    (void)fd;
    if (disk_full)
        return false;
    records++;
    file_bytes += n + 12;
    longest = n > longest ? n : longest;
    if (type == JST_RECORD_TRAFFIC)
        take_traffic(frame + JST_FRAME_GAP, frame + JST_FRAME_GAP + n);
    else
        memcpy(last, frame + JST_FRAME_GAP, n < sizeof last ? n : sizeof last);
    return true;
}

/* A reader's sums of a rank: the records, and what the header has beyond them. */
static uint64_t found(uint64_t rank, unsigned word)
{
    uint64_t sum = read_sums[rank][word];
    for (unsigned place = 0; place < JST_PEERS; place++) {
        uint64_t key = atomic_load(&jst_a.peers[place].key);
        if ((key < JST_KEY_FIRST ? OTHERS : key - JST_KEY_FIRST) == rank)
            sum += (&jst_a.peers[place].sent_ops)[word] - held[place][word];
    }
    return sum;
}

static uint64_t found_of_all(unsigned word)
{
    uint64_t sum = 0;
    for (uint64_t rank = 0; rank <= OTHERS; rank++)
        sum += found(rank, word);
    return sum;
}

static int begin(void **state)
{
    (void)state;
    memset(&jst_a, 0, sizeof jst_a);
    memset(read_sums, 0, sizeof read_sums);
    memset(held, 0, sizeof held);
    memset(held_ops, 0, sizeof held_ops);
    memset(owner_of, 0, sizeof owner_of);
    memset(spans, 0, sizeof spans);
    file_bytes = records = longest = notes = 0;
    disk_full = false;
    jst_tls_block = &jst_a.blocks[1];
    jst_a.head.first_slice = jst_a.commit[0].open_slice = end_of_records = FIRST;
    atomic_store(&jst_peers_on, true);
    jst_peers_new_part();
    atomic_store(&jst_peers_on, false);
    jst_peers_begin(RANKS);
    return 0;
}

static void sends_and_receives_are_distinguished(void **state)
{
    (void)state;
    jst_peer_sent(7, 100);
    jst_peer_sent(7, 0);
    jst_peer_received(7, 30, false);
    jst_peer_received(9, 50, true);
    jst_peers_tick(-1, FIRST + 1);
    assert_int_equal(records, 1);
    jst_peer_sent(7, 1);
    assert_int_equal(found(7, 0), 3);
    assert_int_equal(found(7, 1), 101);
    assert_int_equal(found(7, 2), 1);
    assert_int_equal(found(7, 3), 30);
    assert_int_equal(found(9, 4), 50);
    assert_int_equal(read_sums[7][0], 2);
    jst_peer_sent(UINT32_MAX, 1); /* no rank */
    jst_peer_sent(UINT32_MAX - 1, 1);
    assert_int_equal(found_of_all(0), 3);
    jst_peers_tick(-1, FIRST + 2);
    jst_peers_tick(-1, FIRST + 3); /* nothing happened */
    assert_int_equal(records, 2);
    assert_int_equal(jst_a.head.traffic_slice, FIRST + 3);
}

/* Many light partners come first and take all places; a few heavy ones get them. */
static void the_heaviest_keep_places(void **state)
{
    (void)state;
    static uint64_t truth[RANKS];
    memset(truth, 0, sizeof truth);
    uint64_t all = 0, before = 0;
    for (uint64_t slice = 1; slice <= 24; slice++) {
        for (uint32_t rank = 0; rank < RANKS; rank++)
            if (rank % 100 == 0 ? slice > 2 : slice <= 2 || rank % 7 == slice % 7) {
                uint64_t bytes = rank % 100 == 0 ? 1000000 : 10;
                jst_peer_sent(rank, bytes);
                truth[rank] += bytes;
                all += bytes;
            }
        if (slice == 22)
            for (uint32_t rank = 0; rank < RANKS; rank += 100)
                before += found(rank, 1);
        jst_peers_tick(-1, FIRST + slice);
        assert_int_equal(found_of_all(1), all);
    }
    uint64_t heavy = 0, others = found(OTHERS, 1);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        assert_true(found(rank, 1) <= truth[rank]);
        assert_true(found(rank, 1) + others >= truth[rank]);
        heavy += rank % 100 == 0 ? found(rank, 1) : 0;
    }
    assert_int_equal(heavy - before, 2 * 20 * 1000000); /* all of them in the last two slices */
}

static void what_the_disk_refuses_is_not_lost(void **state)
{
    (void)state;
    jst_peer_sent(3, 10);
    disk_full = true;
    jst_peers_tick(-1, FIRST + 1);
    jst_peer_sent(3, 20);
    jst_peer_sent(4, 7);
    jst_peers_tick(-1, FIRST + 2);
    assert_int_equal(found(3, 1), 30); /* a kill now */
    assert_int_equal(found(4, 1), 7);
    assert_int_equal(jst_a.head.traffic_slice, FIRST);
    disk_full = false;
    jst_peers_tick(-1, FIRST + 3);
    assert_int_equal(read_sums[3][1], 30);
    assert_int_equal(read_sums[4][1], 7);
    assert_int_equal(found_of_all(1), 37);
    assert_int_equal(end_of_records, FIRST + 3);
}

static void a_day_stays_within_its_space(void **state)
{
    (void)state;
    const uint64_t slices = 21600;
    for (uint64_t slice = 1; slice <= slices; slice++) {
        for (uint32_t rank = 0; rank < 100; rank++) {
            jst_peer_sent(rank * 3, 100000 + slice % 50);
            jst_peer_received(rank * 3, 100000, false);
        }
        jst_peer_collective(0, "MPI_Allreduce", JST_MPI_NO_PEER, 8);
        jst_peers_tick(-1, FIRST + slice);
    }
    assert_true(file_bytes <= SPACE_BURST + SPACE_PER_SLICE * slices + longest);
    assert_true(file_bytes > SPACE_PER_SLICE * slices / 2);
    for (unsigned span = 3; span < 63; span++)
        assert_true((span & (span - 1)) == 0 || spans[span] <= 2); /* two where it changes */
    for (uint64_t rank = 0; rank < OTHERS; rank++)
        assert_int_equal(found(rank, 0), rank % 3 == 0 && rank < 300 ? slices : 0);
}

static void a_clock_that_is_set_back(void **state)
{
    (void)state;
    jst_peer_sent(1, 1);
    jst_peers_tick(-1, FIRST + 10);
    jst_peer_sent(1, 1);
    jst_peers_tick(-1, FIRST + 3);
    jst_peer_sent(1, 1);
    jst_peers_tick(-1, FIRST + 4);
    assert_int_equal(read_sums[1][0], 3);
    assert_int_equal(end_of_records, FIRST + 4);
}

#define THREADS 4
#define ROUNDS 20000

static void *count_in_thread(void *number)
{
    jst_tls_block = &jst_a.blocks[(uintptr_t)number];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        jst_peer_sent(i % 300, 3);
        jst_peer_collective(i % 50, "MPI_Bcast", i % 3, 5);
    }
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_in_thread, (void *)(i + 1)), 0);
    for (uint64_t slice = 1; slice < 200; slice++)
        jst_peers_tick(-1, FIRST + slice);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(found_of_all(0), THREADS * ROUNDS);
    assert_int_equal(found_of_all(1), THREADS * ROUNDS * 3);
    uint64_t ops = 0;
    for (unsigned place = 0; place < JST_COLLECTIVES; place++)
        ops += jst_a.collectives[place].ops;
    assert_int_equal(ops, THREADS * ROUNDS);
}

static void collectives_by_communicator_operation_and_root(void **state)
{
    (void)state;
    jst_peer_collective(0, "MPI_Bcast", 3, 100);
    jst_peer_collective(0, "MPI_Bcast", 3, 100);
    jst_peer_collective(5, "MPI_Bcast", 3, 1);
    jst_peer_collective(0, "MPI_Barrier", JST_MPI_NO_PEER, 0);
    unsigned seen_here = 0;
    for (unsigned place = 0; place < JST_COLLECTIVES; place++) {
        const jst_collective *c = &jst_a.collectives[place];
        if (!c->ops)
            continue;
        seen_here++;
        if (c->communicator == 0 && c->root == 3) {
            assert_int_equal(c->ops, 2);
            assert_int_equal(c->bytes, 200);
            assert_string_equal(c->operation, "MPI_Bcast");
        }
    }
    assert_int_equal(seen_here, 3);
    jst_peers_tick(-1, FIRST + 1);
    uint64_t ops = 0;
    for (unsigned place = 0; place < JST_COLLECTIVES; place++)
        ops += held_ops[place];
    assert_int_equal(ops, 4);
}

static void members_are_runs(void **state)
{
    (void)state;
    static uint32_t ranks[4000];
    for (uint32_t i = 0; i < 4000; i++)
        ranks[i] = 3 + 2 * i;
    jst_peer_communicator(77, ranks, 4000);
    jst_peer_communicator(77, ranks, 4000);
    jst_communicators_drain(-1);
    assert_int_equal(records, 1);
    const uint8_t *p = last;
    const uint64_t expected[] = {77, 4000, 6, 4000, 4}; /* signed numbers are doubled */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(take(&p), expected[i]);
    for (uint32_t i = 0; i < 4000; i++)
        ranks[i] = i * 2654435761u % 1000003;
    jst_peer_communicator(78, ranks, 4000);
    jst_communicators_drain(-1);
    assert_int_equal(records, 2);
    assert_true(file_bytes < 200); /* its size only */
    for (uint32_t i = 100; i < 400; i++)
        jst_peer_communicator(i, ranks, 2);
    jst_communicators_drain(-1);
    jst_communicators_drain(-1);
    assert_int_equal(notes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sends_and_receives_are_distinguished, begin),
        cmocka_unit_test_setup(the_heaviest_keep_places, begin),
        cmocka_unit_test_setup(what_the_disk_refuses_is_not_lost, begin),
        cmocka_unit_test_setup(a_day_stays_within_its_space, begin),
        cmocka_unit_test_setup(a_clock_that_is_set_back, begin),
        cmocka_unit_test_setup(threads_lose_nothing, begin),
        cmocka_unit_test_setup(collectives_by_communicator_operation_and_root, begin),
        cmocka_unit_test_setup(members_are_runs, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
